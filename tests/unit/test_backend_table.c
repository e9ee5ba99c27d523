/* test_backend_table.c: a program's own functions are those of the backend, and no other's */
#include "traverse/engine/backend_table.h"
#include "unit.h"

#include <string.h>

int main(void)
{
    static const int on_cpu, on_gpu;
    static const struct backend cpu = {.name = "cpu"}, cuda = {.name = "cuda"}, other = {.name = "other"};
    struct error fine = {0}, e = {0}, missing = {0};
    report(backend_table(&cpu, &on_cpu, &on_gpu, &fine) == &on_cpu && backend_table(&cuda, &on_cpu, &on_gpu, &fine) == &on_gpu &&
               fine.status == ST_OK, "a program has functions of its own for CPUs and for GPUs");
    report(backend_table(&other, &on_cpu, &on_gpu, &e) == NULL && e.status == ST_RUNTIME &&
               strstr(e.text, "--backend other: ") != NULL, "a backend for which a program has no functions is refused by name");
    report(backend_table(&cuda, &on_cpu, NULL, &missing) == NULL && missing.status == ST_RUNTIME,
           "functions for GPUs that a build does not have are not called");
    return unit_result();
}
