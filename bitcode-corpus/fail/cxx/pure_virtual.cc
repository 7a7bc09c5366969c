// A pure virtual function is called while the object is under construction.
struct Base;
static void call(Base *base);

struct Base {
    Base() { call(this); }
    virtual void act() = 0;
};
struct Derived : Base {
    void act() override {}
};

static void call(Base *base) { base->act(); } //~ ERROR: pure virtual

int main() { Derived derived; }
