//@ native
// Durations, clocks that do not go back, seeded random numbers and distributions of whole numbers.
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

int main()
{
    using namespace std::chrono;
    auto span = hours(1) + minutes(30) + 250ms;
    std::printf("%lld ms, %ld min\n", (long long)span.count(), (long)duration_cast<minutes>(span).count());
    auto before = steady_clock::now();
    std::this_thread::sleep_for(1ms);
    std::printf("%d\n", steady_clock::now() - before >= 1ms);
    std::printf("%d\n", system_clock::to_time_t(system_clock::now()) > 0);
    std::mt19937 engine(42);
    std::printf("%u %u\n", (unsigned)engine(), (unsigned)engine());
    std::mt19937_64 wide(7);
    std::uniform_int_distribution<int> dice(1, 6);
    for (int i = 0; i < 8; i++) std::printf("%d ", dice(wide));
    std::uniform_real_distribution<double> real(0, 1);
    std::printf("%.6f ", real(wide));
    std::normal_distribution<double> normal(0, 1);
    std::printf("%.4f\n", normal(wide));
    std::minstd_rand simple(1);
    std::printf("%u\n", (unsigned)simple());
    std::random_device device;
    std::printf("%d\n", device.max() > 0);
}
