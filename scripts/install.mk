# install.mk: installs programs, man pages, data, the Python package and completions, and removes them. The Makefile includes it.

bindir  = $(DESTDIR)$(PREFIX)/bin
mandir  = $(DESTDIR)$(PREFIX)/share/man
sharedir = $(DESTDIR)$(PREFIX)/share
bash_completions = $(sharedir)/bash-completion/completions
completed = $(PROGRAMS) $(SCRIPTS) dbfs-dataset

# where python3 looks for modules below PREFIX/lib; elsewhere PYTHONPATH has to name the folder
python_looks = python3 -c 'import site, sys; print(next(p for p in site.getsitepackages() if p.startswith(sys.argv[1] + "/lib")))'
pythondir   ?= $(shell $(python_looks) '$(PREFIX)' 2>/dev/null || echo '$(PREFIX)/lib/python3/dist-packages')
pythonlib    = $(DESTDIR)$(pythondir)
python_version = $(version:-dev=.dev0)
python_info  = $(pythonlib)/dbfs-$(python_version).dist-info

# a folder for each section of the manual
install_pages = install -d $(mandir)/man$(1) && install -m 644 $(filter %.$(1),$(man_pages)) $(mandir)/man$(1)

install: all $(BUILD)/scripts/dbfs-dataset
	install -d $(bindir) $(sharedir)/dbfs/datasets $(pythonlib)/dbfs $(python_info) $(sharedir)/doc/dbfs/examples $(bash_completions) \
	    $(sharedir)/zsh/site-functions
	install -m 755 $(PROGRAMS:%=$(BUILD)/bin/%) $(SCRIPTS:%=$(BUILD)/bin/%) $(bindir)
	install -m 755 $(BUILD)/scripts/dbfs-dataset $(bindir)
	$(call install_pages,1)
	$(call install_pages,5)
	$(call install_pages,7)
	install -m 644 datasets/MANIFEST.tsv datasets/*.txt datasets/LICENSE.* $(sharedir)/dbfs/datasets
	install -m 644 scripts/python/dbfs/*.py scripts/python/dbfs/py.typed $(pythonlib)/dbfs
	install -m 644 scripts/python/dbfs_networkx.py $(pythonlib)
	install -m 644 scripts/python/entry_points.txt $(python_info)
	printf 'Metadata-Version: 2.1\nName: dbfs\nVersion: %s\nRequires-Dist: numpy\n' '$(python_version)' >$(python_info)/METADATA
	install -m 644 README.md CHANGELOG.md LICENSE $(sharedir)/doc/dbfs
	install -m 644 scripts/read_dbfs.py formats/SPEC-*.md $(sharedir)/doc/dbfs/examples
	install -m 755 scripts/demo.sh scripts/slurm-pack.sh scripts/slurm-search.sh $(sharedir)/doc/dbfs/examples
	install -m 644 scripts/completion/_dbfs $(sharedir)/zsh/site-functions
	install -m 644 scripts/completion/dbfs.bash $(bash_completions)/dbfs
	for program in $(filter-out dbfs,$(completed)); do ln -sf dbfs $(bash_completions)/$$program; done

uninstall:
	rm -f $(completed:%=$(bindir)/%) $(completed:%=$(bash_completions)/%) \
	    $(foreach s,1 5 7,$(patsubst $(BUILD)/man/%,$(mandir)/man$(s)/%,$(filter %.$(s),$(man_pages)))) \
	    $(sharedir)/zsh/site-functions/_dbfs
	rm -rf $(sharedir)/dbfs $(sharedir)/doc/dbfs $(pythonlib)/dbfs $(pythonlib)/dbfs_networkx.py $(python_info)

.PHONY: install uninstall
