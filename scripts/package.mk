# package.mk: makes a Debian package, and an archive of the sources. The Makefile includes it.

deb_env = BUILD='$(BUILD)' CUDA='$(CUDA)' ARCHIVE='$(ARCHIVE)' MAKE='$(MAKE)'

deb: all
	@$(deb_env) scripts/deb.sh

deb-check: deb
	@scripts/deb-check.sh "$$(ls -t $(BUILD)/dbfs*_$(version:-dev=~dev)_*.deb | head -n 1)"

# the files that git knows, as they are in the working tree
dist:
	@mkdir -p $(BUILD)
	git ls-files -z | tar --null -T - --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
	    --transform 's,^,dbfs-$(version)/,' -czf $(BUILD)/dbfs-$(version).tar.gz
	@echo $(BUILD)/dbfs-$(version).tar.gz

.PHONY: deb deb-check dist
