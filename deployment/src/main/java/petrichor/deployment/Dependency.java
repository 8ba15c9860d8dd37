package petrichor.deployment;

import java.util.List;
import java.util.Map;

/** A prerequisite of a node on its host. Named, so that recipes can refer to it. */
public sealed interface Dependency {
    String name();

    /**
     * A folder with jars and their dependencies, resolved by Maven.
     *
     * @param artifacts group:artifact:version, or group:artifact:type:classifier:version
     * @param managed versions that dependencies of these artifacts must have, group:artifact to
     *     version
     * @param excluded dependencies to leave out, group:artifact
     */
    record Jars(
            String name, List<String> artifacts, Map<String, String> managed, List<String> excluded)
            implements Dependency {}

    /** An archive (zip or jar) from Maven, unpacked into a folder. */
    record Archive(String name, String artifact) implements Dependency {}

    /**
     * Programs of the operating system. The place is the folder that contains {@code programs};
     * found on PATH or in {@code folders}, otherwise unpacked from the system's packages.
     *
     * @param packages names of Debian packages
     */
    record Programs(String name, List<String> programs, List<String> folders, List<String> packages)
            implements Dependency {}

    /** The home folder of a Java runtime of one of these major versions, the first one found. */
    record Java(String name, List<Integer> majors) implements Dependency {}

    /**
     * A program built from source with Go; the place is the executable.
     *
     * @param module path and version, {@code example.com/module@v1.2.3}
     * @param mainPackage to build
     * @param tags build tags
     * @param files written into the module's folder before it is built
     */
    record GoProgram(
            String name,
            String module,
            String mainPackage,
            List<String> tags,
            Map<String, String> files)
            implements Dependency {}
}
