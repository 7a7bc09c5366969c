//@ native
// Which handler fits: bases (also virtual and ambiguous ones), pointers and their conversions, references, null.
#include <cstddef>
#include <cstdio>

struct Left { int left = 1; };
struct Right { int right = 2; };
struct Both : Left, Right { int both = 3; };
struct Shared { int shared = 4; };
struct A : virtual Shared {};
struct B : virtual Shared {};
struct Diamond : A, B {};
struct C : Left {};
struct D : Left {};
struct Ambiguous : C, D {};
class Hidden : Left {};

template <class T>
static void attempt(const char *name, T thrown)
{
    std::printf("%s: ", name);
    try {
        throw thrown;
    } catch (Right &right) {
        std::printf("Right %d\n", right.right);
    } catch (Shared shared) {
        std::printf("Shared %d\n", shared.shared);
    } catch (Left &) {
        std::printf("Left\n");
    } catch (Right *right) {
        std::printf("Right * %d\n", right ? right->right : -1);
    } catch (const char *text) {
        std::printf("text %s\n", text);
    } catch (const void *) {
        std::printf("pointer\n");
    } catch (long) {
        std::printf("long\n");
    } catch (...) {
        std::printf("else\n");
    }
}

int main()
{
    Both both;
    attempt("Both", both);
    attempt("Diamond", Diamond());
    attempt("Ambiguous", Ambiguous());
    attempt("Hidden", Hidden());
    attempt("Both *", &both);
    const Both *constant = &both;
    attempt("const Both *", constant);
    attempt("char *", const_cast<char *>("chars"));
    attempt("int *", static_cast<int *>(nullptr));
    attempt("nullptr", nullptr);
    attempt("int", 1);
    attempt("long", 1L);
}
