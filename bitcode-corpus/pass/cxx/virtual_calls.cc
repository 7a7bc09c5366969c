//@ native
// Virtual functions, also during construction; covariant results; pointers to members; multiple inheritance thunks.
#include <cstdio>

struct Shape {
    Shape() { std::printf("%s under construction\n", name()); }
    virtual ~Shape() { std::printf("~%s\n", name()); }
    virtual const char *name() const { return "shape"; }
    virtual Shape *clone() const { return new Shape(*this); }
};
struct Tagged {
    int tag = 9;
    virtual int get() const { return tag; }
    virtual ~Tagged() {}
};
struct Circle : Shape, Tagged {
    int radius;
    explicit Circle(int radius) : radius(radius) {}
    const char *name() const override { return "circle"; }
    Circle *clone() const override { return new Circle(radius + 1); }
    int get() const override { return radius * 10; }
};

int main()
{
    Shape *shape = new Circle(4);
    Shape *copy = shape->clone();
    Tagged *tagged = dynamic_cast<Tagged *>(copy);
    int (Tagged::*get)() const = &Tagged::get;
    int Circle::*radius = &Circle::radius;
    std::printf("%d %d\n", (tagged->*get)(), static_cast<Circle *>(copy)->*radius);
    delete shape;
    delete tagged;
}
