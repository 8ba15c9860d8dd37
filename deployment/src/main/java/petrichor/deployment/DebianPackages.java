package petrichor.deployment;

import java.util.List;

/**
 * Debian packages on a host, unpacked next to the other servers, with their dependencies: nothing
 * is installed, no service is started, and root is not required.
 */
final class DebianPackages {
    private final Host host;
    private final List<String> packages;
    private final String root;

    DebianPackages(Host host, List<String> packages) {
        this.host = host;
        this.packages = List.copyOf(packages);
        this.root = Cache.onHost(host) + "/" + Cache.key("debian", "root", packages);
    }

    /** The folder that replaces / for the unpacked packages. */
    String root() {
        return root;
    }

    /** Idempotent: unpacks only once. */
    Shell.Ended unpack(Progress progress) {
        Shell.Ended there = Shell.run(host, "test -d " + Shell.quoted(root));
        if (there.succeeded()) {
            return there;
        }
        progress.say("unpacking Debian's " + String.join(", ", packages) + " for " + host.name());
        return Shell.run(host, unpacking(), Shell.NO_INPUT, Shell.LONG);
    }

    /**
     * Unpacks only those dependencies that the host lacks: a second C library in addition to the
     * host's would only do harm. Redirects links with absolute targets into the unpacked folder.
     */
    private String unpacking() {
        return """
        set -e
        command -v apt-get >/dev/null && command -v dpkg >/dev/null || {
            echo 'this host has no apt-get to fetch it with' >&2; exit 1; }
        root=%1$s
        staging=$(mktemp -d "$root.XXXXXX")
        trap 'rm -rf "$staging"' EXIT
        plan() { LC_ALL=C apt-get install -s -y --no-install-recommends %2$s; }
        if ! plan >"$staging/plan" 2>"$staging/said"; then
            { [ "$(id -u)" = 0 ] && apt-get update -qq && plan >"$staging/plan"; } || {
                cat "$staging/said" >&2; exit 1; }
        fi
        mkdir "$staging/debs" "$staging/root"
        cd "$staging/debs"
        new=$(sed -n 's/^Inst \\([^ ]*\\) (.*/\\1/p' "$staging/plan")
        fetch() { apt-get download -qq $(printf '%%s\\n' %2$s $new | sort -u); }
        fetch || { [ "$(id -u)" = 0 ] && apt-get update -qq && fetch; }
        for package in *.deb; do dpkg -x "$package" "$staging/root"; done
        find "$staging/root" -type l | while read -r link; do
            to=$(readlink "$link")
            case $to in
            /*) [ -e "$to" ] || [ ! -e "$staging/root$to" ] || ln -sfn "$root$to" "$link" ;;
            esac
        done
        chmod -R a+rX "$staging/root"
        mv -T "$staging/root" "$root" || test -d "$root"
        """
                .formatted(Shell.quoted(root), Shell.quoted(packages));
    }

    /** The library folders, for the system's loader. */
    String libraryPath() {
        return Shell.run(
                        host,
                        "cd "
                                + Shell.quoted(root)
                                + " && for folder in usr/lib/*-linux-gnu* lib/*-linux-gnu* usr/lib"
                                + " lib; do [ -d \"$folder\" ] && printf '%s:' \"$PWD/$folder\";"
                                + " done; true")
                .required("look for libraries")
                .replaceAll(":$", "");
    }
}
