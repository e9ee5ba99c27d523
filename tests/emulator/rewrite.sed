# rewrite.sed: turns the CUDA C++ of dbfs into C++: launches, and addresses of kernels.
s/\b((list_)?each_kernel)<<<(.*)>>>\(/emulated::launch(name, \3).run([](auto... given) { \1(given...); }, /
s/\b([A-Za-z_0-9]+(<[A-Za-z_0-9, ]*>)?)<<<(.*)>>>\(/emulated::launch("\1", \3).run([](auto... given) { \1(given...); }, /
s/\(const void \*\)([a-z_]+_kernel(<[A-Za-z_0-9, ]*>)?)/emulated::address_of(\1, "\1")/
