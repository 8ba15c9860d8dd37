package petrichor.kv.deployment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Finds a host's own programs: in the folders that are named, on PATH, or in what Debian's packages
 * hold. Packages are unpacked beside the other servers, with what they depend on: nothing is
 * installed, no service is started, and no root is needed.
 */
final class HostPrograms {
    private static final List<String> USUAL_FOLDERS =
            List.of("/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin", "/bin", "/sbin");

    private HostPrograms() {}

    static Supplied find(Host host, Supply.Programs wanted, Progress progress) {
        Shell.Ended installed = Shell.run(host, search(wanted, ""));
        if (installed.succeeded()) {
            return Supplied.at(Path.of(installed.output().strip()));
        }
        if (wanted.packages().isEmpty()) {
            throw notThere(host, wanted, "it is in none of the usual folders");
        }
        String root = Cache.onHost(host) + "/" + Cache.key("debian", "root", wanted.packages());
        if (!Shell.run(host, "test -d " + Shell.quoted(root)).succeeded()) {
            progress.say(
                    "unpacking Debian's "
                            + String.join(", ", wanted.packages())
                            + " for "
                            + host.name());
            Shell.Ended unpacked =
                    Shell.run(host, unpacking(root, wanted.packages()), Shell.NO_INPUT, Shell.LONG);
            if (!unpacked.succeeded()) {
                throw notThere(host, wanted, unpacked.complaint());
            }
        }
        Shell.Ended found = Shell.run(host, search(wanted, root));
        if (!found.succeeded()) {
            throw notThere(host, wanted, "its packages do not hold it");
        }
        return new Supplied(
                Path.of(found.output().strip()),
                Map.of(Supplied.LIBRARY_PATH, libraryPath(host, root)));
    }

    /** Prints the first folder that has all programs. */
    private static String search(Supply.Programs wanted, String root) {
        List<String> folders = new ArrayList<>();
        wanted.folders().forEach(folder -> folders.add(root + folder));
        String path = "";
        if (root.isEmpty()) {
            path = "IFS=:; for folder in $PATH; do try \"$folder\"; done";
        }
        USUAL_FOLDERS.forEach(folder -> folders.add(root + folder));
        return """
        try() {
            for program in %s; do [ -x "$1/$program" ] || return 0; done
            cd "$1" && pwd -P && exit 0
        }
        for folder in %s; do try "$folder"; done
        %s
        exit 1
        """
                .formatted(Shell.quoted(wanted.programs()), Shell.quoted(folders), path);
    }

    /**
     * Of the packages that they depend on only those are unpacked that the host does not have: a
     * second C library beside the host's would only do harm.
     */
    private static String unpacking(String root, List<String> packages) {
        return """
        set -e
        command -v apt-get >/dev/null && command -v dpkg >/dev/null || {
            echo 'this host has no apt-get to fetch it with' >&2; exit 1; }
        begun=$(mktemp -d %1$s.XXXXXX)
        trap 'rm -rf "$begun"' EXIT
        plan() { LC_ALL=C apt-get install -s -y --no-install-recommends %2$s; }
        if ! plan >"$begun/plan" 2>"$begun/said"; then
            { [ "$(id -u)" = 0 ] && apt-get update -qq && plan >"$begun/plan"; } || {
                cat "$begun/said" >&2; exit 1; }
        fi
        mkdir "$begun/debs" "$begun/root"
        cd "$begun/debs"
        new=$(sed -n 's/^Inst \\([^ ]*\\) (.*/\\1/p' "$begun/plan")
        apt-get download -qq $(printf '%%s\\n' %2$s $new | sort -u) || {
            [ "$(id -u)" = 0 ] && apt-get update -qq &&
            apt-get download -qq $(printf '%%s\\n' %2$s $new | sort -u); }
        for package in *.deb; do dpkg -x "$package" "$begun/root"; done
        chmod -R a+rX "$begun/root"
        mv -T "$begun/root" %1$s || test -d %1$s
        """
                .formatted(Shell.quoted(root), Shell.quoted(packages));
    }

    private static String libraryPath(Host host, String root) {
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

    private static PetrichorException notThere(Host host, Supply.Programs wanted, String why) {
        return new PetrichorException(
                ErrorCode.FAILED_PRECONDITION,
                host.name()
                        + " has no "
                        + String.join(", ", wanted.programs())
                        + " ("
                        + why
                        + "); install "
                        + (wanted.packages().isEmpty()
                                ? "it"
                                : "it, on Debian: apt-get install "
                                        + String.join(" ", wanted.packages())));
    }
}
