package petrichor.jobs.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.ToolProvider;

/** Compiles a program's source to a jar, like the author of a job. Stateless. */
public final class ProgramJar {
    private ProgramJar() {}

    /**
     * @param folder an empty one
     * @param mainClass for the manifest, and the name of the source's public class
     */
    public static Path compile(Path folder, String mainClass, String source) {
        return compile(folder, mainClass, Map.of(mainClass, source));
    }

    /**
     * @param sources of all classes, by their full names
     */
    public static Path compile(Path folder, String mainClass, Map<String, String> sources) {
        try {
            Path classes = Files.createDirectories(folder.resolve("classes"));
            List<String> arguments = new ArrayList<>();
            arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
            arguments.addAll(List.of("-d", classes.toString()));
            for (Map.Entry<String, String> source : sources.entrySet()) {
                Path file = folder.resolve(source.getKey().replace('.', '/') + ".java");
                Files.createDirectories(file.getParent());
                Files.writeString(file, source.getValue());
                arguments.add(file.toString());
            }
            ByteArrayOutputStream problems = new ByteArrayOutputStream();
            int code =
                    ToolProvider.getSystemJavaCompiler()
                            .run(
                                    null,
                                    OutputStream.nullOutputStream(),
                                    problems,
                                    arguments.toArray(String[]::new));
            if (code != 0) {
                throw new IllegalArgumentException("the program is wrong:\n" + problems);
            }
            return jar(folder.resolve("job.jar"), classes, mainClass);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path jar(Path to, Path classes, String mainClass) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, mainClass);
        List<Path> files;
        try (var all = Files.walk(classes)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(to), manifest)) {
            for (Path each : files) {
                out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
        return to;
    }
}
