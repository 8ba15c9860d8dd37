package petrichor.testing.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests what is in the jars of the server and of its plugins. */
final class ProductFilesTest {
    private static final Path PROGRAM = PackagedStores.FOLDER.resolveSibling("lib");

    @Test
    void theProductContainsNoBenchmarks() throws IOException {
        assumeTrue(
                System.getenv("CI") != null || Files.isDirectory(PROGRAM),
                "NOT TESTED: `mvn package` builds the program");
        List<String> classes = new ArrayList<>();
        for (Path folder : List.of(PROGRAM, PackagedStores.FOLDER)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                    classes.addAll(ours(jar));
                }
            }
        }
        assertThat(classes)
                .contains(
                        "petrichor/server/data/StorePlugins.class",
                        "petrichor/kv/redis/RedisPlugin.class")
                .noneMatch(name -> name.startsWith("petrichor/bench/"));
    }

    private static List<String> ours(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith("petrichor/"))
                    .toList();
        }
    }
}
