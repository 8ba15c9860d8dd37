package petrichor.deployment;

import java.nio.file.Path;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Finds a Java runtime on a host, in the places where the launcher looks for its JDK; otherwise
 * unpacks Debian's.
 */
final class JavaHome {
    private static final String CANDIDATES =
            "\"${JAVA_HOME:-}\" \"$(on_path)\""
                    + " /usr/lib/jvm/* /usr/java/* /usr/local/java/* /opt/java/* /opt/jdk*"
                    + " /opt/*/jdk* \"$HOME\"/.sdkman/candidates/java/* \"$HOME\"/.jdks/*"
                    + " \"$HOME\"/.jenv/versions/* \"$HOME\"/.asdf/installs/java/*"
                    + " /Library/Java/JavaVirtualMachines/*/Contents/Home";

    private JavaHome() {}

    static Path find(Host host, Dependency.Java wanted, Progress progress) {
        for (int major : wanted.majors()) {
            Shell.Ended found = Shell.run(host, search(major, CANDIDATES));
            if (found.succeeded()) {
                return Path.of(found.output().strip());
            }
        }
        for (int major : wanted.majors()) {
            DebianPackages packages =
                    new DebianPackages(host, List.of("openjdk-" + major + "-jre-headless"));
            if (packages.unpack(progress).succeeded()) {
                String candidates = Shell.quoted(packages.root()) + "/usr/lib/jvm/*";
                Shell.Ended found = Shell.run(host, search(major, candidates));
                if (found.succeeded()) {
                    return Path.of(found.output().strip());
                }
            }
        }
        throw PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "{host} has no Java {versions}, which {program} needs; install one (apt-get install"
                        + " openjdk-{majors}-jre-headless) or set JAVA_HOME",
                "host",
                host.name(),
                "versions",
                String.join(" or ", wanted.majors().stream().map(String::valueOf).toList()),
                "program",
                wanted.name(),
                "majors",
                wanted.majors().getFirst());
    }

    private static String search(int major, String candidates) {
        return """
        on_path() {
            java=$(command -v java) || return 0
            java=$(readlink -f "$java") && dirname "$(dirname "$java")"
        }
        major() {
            if [ -r "$1/release" ]; then
                sed -n 's/^JAVA_VERSION="\\([0-9]*\\).*/\\1/p' "$1/release"
            else
                "$1/bin/java" -version 2>&1 | sed -n 's/.* version "\\([0-9]*\\).*/\\1/p'
            fi
        }
        for home in %s; do
            [ -n "$home" ] && [ -x "$home/bin/java" ] || continue
            [ "$(major "$home")" = %d ] && cd "$home" && pwd -P && exit 0
        done
        exit 1
        """
                .formatted(candidates, major);
    }
}
