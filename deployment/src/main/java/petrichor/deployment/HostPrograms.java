package petrichor.deployment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Finds a host's own programs: in the given folders, on PATH, or in unpacked Debian packages
 * ({@link DebianPackages}).
 */
final class HostPrograms {
    private static final List<String> USUAL_FOLDERS =
            List.of("/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin", "/bin", "/sbin");

    private HostPrograms() {}

    static InstalledDependency find(Host host, Dependency.Programs wanted, Progress progress) {
        Shell.Ended installed = Shell.run(host, search(wanted, ""));
        if (installed.succeeded()) {
            return InstalledDependency.at(Path.of(installed.output().strip()));
        }
        if (wanted.packages().isEmpty()) {
            throw notThere(host, wanted, "it is not in any of the usual folders");
        }
        DebianPackages packages = new DebianPackages(host, wanted.packages());
        Shell.Ended unpacked = packages.unpack(progress);
        if (!unpacked.succeeded()) {
            throw notThere(host, wanted, unpacked.complaint());
        }
        Shell.Ended found = Shell.run(host, search(wanted, packages.root()));
        if (!found.succeeded()) {
            throw notThere(host, wanted, "its packages do not contain it");
        }
        return new InstalledDependency(
                Path.of(found.output().strip()),
                Map.of(InstalledDependency.LIBRARY_PATH, packages.libraryPath()));
    }

    /** Prints the first folder that contains all programs. */
    private static String search(Dependency.Programs wanted, String root) {
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

    private static PetrichorException notThere(Host host, Dependency.Programs wanted, String why) {
        String programs = String.join(", ", wanted.programs());
        if (wanted.packages().isEmpty()) {
            return PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "{host} has no {programs} ({reason}); install it",
                    "host",
                    host.name(),
                    "programs",
                    programs,
                    "reason",
                    why);
        }
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "{host} has no {programs} ({reason}); install it, on Debian: apt-get install"
                        + " {packages}",
                "host",
                host.name(),
                "programs",
                programs,
                "reason",
                why,
                "packages",
                String.join(" ", wanted.packages()));
    }
}
