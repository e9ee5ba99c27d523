# rewrite.sed: turns the CUDA C++ of dbfs into C++: launches, and addresses of kernels.
s/\beach_kernel<<<(.*)>>>\(/emulated::launch(name, \1).run([](auto... given) { each_kernel(given...); }, /
s/\b([A-Za-z_0-9]+(<[A-Za-z_0-9, ]*>)?)<<<(.*)>>>\(/emulated::launch("\1", \3).run([](auto... given) { \1(given...); }, /
s/\(const void \*\)([a-z_]+_kernel(<[A-Za-z_0-9, ]*>)?)/emulated::address_of(\1, "\1")/
