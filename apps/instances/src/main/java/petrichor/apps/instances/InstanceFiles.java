package petrichor.apps.instances;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/**
 * What an instance can read besides the folders of the system; it can write only to its temporary
 * folder.
 *
 * @param code also the working folder
 * @param readable more folders, such as an interpreter's or shared libraries
 * @param group that may read the code, if not everyone may; has no effect without an own user
 */
public record InstanceFiles(Path code, List<Path> readable, OptionalInt group) {
    public InstanceFiles {
        readable = List.copyOf(readable);
    }

    public InstanceFiles(Path code, List<Path> readable) {
        this(code, readable, OptionalInt.empty());
    }

    public static InstanceFiles of(Path code) {
        return new InstanceFiles(code, List.of());
    }
}
