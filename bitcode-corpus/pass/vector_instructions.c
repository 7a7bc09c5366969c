// What the headers of SSE2 make of its instructions, beyond what every processor's vectors have.
//@ cflags: -O0
//@ native
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>

static void show(const char *name, __m128i value) {
    uint32_t parts[4];
    _mm_storeu_si128((__m128i *)parts, value);
    printf("%s %08x %08x %08x %08x\n", name, parts[3], parts[2], parts[1], parts[0]);
}

static void show_doubles(const char *name, __m128d value) {
    show(name, _mm_castpd_si128(value));
}

static void show_singles(const char *name, __m128 value) {
    show(name, _mm_castps_si128(value));
}

static void packs(__m128i a, __m128i b) {
    show("packs_epi16", _mm_packs_epi16(a, b));
    show("packus_epi16", _mm_packus_epi16(a, b));
    show("packs_epi32", _mm_packs_epi32(a, b));
    printf("movemask %x %x\n", _mm_movemask_epi8(a), _mm_movemask_epi8(b));
    printf("movemask_pd %x\n", _mm_movemask_pd(_mm_castsi128_pd(a)));
    printf("movemask_ps %x %x\n", _mm_movemask_ps(_mm_castsi128_ps(a)), _mm_movemask_ps(_mm_castsi128_ps(b)));
}

static void products(__m128i a, __m128i b) {
    show("avg_epu8", _mm_avg_epu8(a, b));
    show("avg_epu16", _mm_avg_epu16(a, b));
    show("sad_epu8", _mm_sad_epu8(a, b));
    show("madd_epi16", _mm_madd_epi16(a, b));
    show("mulhi_epi16", _mm_mulhi_epi16(a, b));
    show("mulhi_epu16", _mm_mulhi_epu16(a, b));
}

static void shifts(__m128i a, long count) {
    __m128i by = _mm_set_epi64x(3, count);
    show("sll_epi16", _mm_sll_epi16(a, by));
    show("sll_epi32", _mm_sll_epi32(a, by));
    show("sll_epi64", _mm_sll_epi64(a, by));
    show("srl_epi16", _mm_srl_epi16(a, by));
    show("srl_epi32", _mm_srl_epi32(a, by));
    show("srl_epi64", _mm_srl_epi64(a, by));
    show("sra_epi16", _mm_sra_epi16(a, by));
    show("sra_epi32", _mm_sra_epi32(a, by));
    show("slli_epi16", _mm_slli_epi16(a, (int)count));
    show("slli_epi32", _mm_slli_epi32(a, (int)count));
    show("slli_epi64", _mm_slli_epi64(a, (int)count));
    show("srli_epi16", _mm_srli_epi16(a, (int)count));
    show("srli_epi32", _mm_srli_epi32(a, (int)count));
    show("srli_epi64", _mm_srli_epi64(a, (int)count));
    show("srai_epi16", _mm_srai_epi16(a, (int)count));
    show("srai_epi32", _mm_srai_epi32(a, (int)count));
}

static void doubles(double x, double y) {
    __m128d a = _mm_set_pd(y, x), b = _mm_set_pd(2.5, y);
    show_doubles("min_pd", _mm_min_pd(a, b));
    show_doubles("max_pd", _mm_max_pd(a, b));
    show_doubles("min_sd", _mm_min_sd(a, b));
    show_doubles("max_sd", _mm_max_sd(a, b));
    printf("comi %d%d%d%d%d%d ", _mm_comieq_sd(a, b), _mm_comineq_sd(a, b), _mm_comilt_sd(a, b),
           _mm_comile_sd(a, b), _mm_comigt_sd(a, b), _mm_comige_sd(a, b));
    printf("%d%d%d%d%d%d\n", _mm_ucomieq_sd(a, b), _mm_ucomineq_sd(a, b), _mm_ucomilt_sd(a, b),
           _mm_ucomile_sd(a, b), _mm_ucomigt_sd(a, b), _mm_ucomige_sd(a, b));
    printf("cvt %d %d ", _mm_cvtsd_si32(a), _mm_cvttsd_si32(a));
    printf("%lld %lld\n", (long long)_mm_cvtsd_si64(a), (long long)_mm_cvttsd_si64(a));
    show("cvtpd", _mm_cvtpd_epi32(a));
    show("cvttpd", _mm_cvttpd_epi32(a));
    show_singles("cvtsd_ss", _mm_cvtsd_ss(_mm_set1_ps(4), a));
    show_singles("cvtpd_ps", _mm_cvtpd_ps(a));
}

static void singles(float x, float y) {
    __m128 a = _mm_set_ps(1, -0.0f, y, x), b = _mm_set_ps(2.5f, 0, x, y);
    show_singles("min_ps", _mm_min_ps(a, b));
    show_singles("max_ps", _mm_max_ps(a, b));
    show_singles("min_ss", _mm_min_ss(a, b));
    show_singles("max_ss", _mm_max_ss(a, b));
    printf("comi %d%d%d%d%d%d ", _mm_comieq_ss(a, b), _mm_comineq_ss(a, b), _mm_comilt_ss(a, b),
           _mm_comile_ss(a, b), _mm_comigt_ss(a, b), _mm_comige_ss(a, b));
    printf("%d%d%d%d%d%d\n", _mm_ucomieq_ss(a, b), _mm_ucomineq_ss(a, b), _mm_ucomilt_ss(a, b),
           _mm_ucomile_ss(a, b), _mm_ucomigt_ss(a, b), _mm_ucomige_ss(a, b));
    printf("cvt %d %d ", _mm_cvtss_si32(a), _mm_cvttss_si32(a));
    printf("%lld %lld\n", (long long)_mm_cvtss_si64(a), (long long)_mm_cvttss_si64(a));
    show("cvtps", _mm_cvtps_epi32(a));
    show("cvttps", _mm_cvttps_epi32(a));
}

static void compares(double x, double y) {
    __m128d a = _mm_set_pd(y, x), b = _mm_set_pd(2.5, y);
    show_doubles("cmpeq_pd", _mm_cmpeq_pd(a, b));
    show_doubles("cmpord_pd", _mm_cmpord_pd(a, b));
    show_doubles("cmpeq_sd", _mm_cmpeq_sd(a, b));
    show_doubles("cmpnle_sd", _mm_cmpnle_sd(a, b));
    show_doubles("cmpgt_sd", _mm_cmpgt_sd(a, b));
    __m128 c = _mm_set_ps(1, 2, (float)y, (float)x), d = _mm_set_ps(2, 2, (float)x, (float)y);
    show_singles("cmplt_ps", _mm_cmplt_ps(c, d));
    show_singles("cmpunord_ss", _mm_cmpunord_ss(c, d));
    show_singles("cmpneq_ss", _mm_cmpneq_ss(c, d));
}

int main(void) {
    __m128i a = _mm_set_epi32(0x7fff8000, -70000, 0x00ff0100, (int)0x80017f02);
    __m128i b = _mm_set_epi32(65535, -32769, (int)0xfe80807f, 0x12345678);
    double odd[] = {1.5, -2.5, 3e9, -1e30, 0.0, -0.0, __builtin_nan(""), 1e18};
    long counts[] = {0, 5, 15, 16, 31, 32, 63, 64, 1L << 32, -1};
    int line = 0;
    packs(a, b);
    packs(b, a);
    products(a, b);
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) shifts(a, counts[i]);
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        doubles(odd[i], odd[(i + 1) % 8]);
        singles((float)odd[i], (float)odd[(i + 3) % 8]);
        compares(odd[i], odd[(i + 1) % 8]);
    }
    doubles(1.5, 1.5);
    singles(-0.0f, 0.0f);
    _mm_clflush(&line);
    _mm_setcsr(_mm_getcsr());
    printf("%x\n", _mm_getcsr() & ~0x3fu);
    return 0;
}
