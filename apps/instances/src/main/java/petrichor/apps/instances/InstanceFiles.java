package petrichor.apps.instances;

import java.nio.file.Path;
import java.util.List;

/**
 * What an instance can read besides the folders of the system; it can write only to its temporary
 * folder.
 *
 * @param code also the working folder
 * @param readable more folders, such as an interpreter's or shared libraries
 */
public record InstanceFiles(Path code, List<Path> readable) {
    public InstanceFiles {
        readable = List.copyOf(readable);
    }

    public static InstanceFiles of(Path code) {
        return new InstanceFiles(code, List.of());
    }
}
