package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real builds of Java apps. */
class JavaBuildTest {
    private static final String POM =
            """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>demo</groupId><artifactId>demo</artifactId><version>1</version>
              <properties>
                <maven.compiler.source>17</maven.compiler.source>
                <maven.compiler.target>17</maven.compiler.target>
                <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
              </properties>
              <build><plugins><plugin>
                <artifactId>maven-jar-plugin</artifactId>
                <configuration><archive><manifest><mainClass>demo.Main</mainClass></manifest></archive></configuration>
              </plugin></plugins></build>
            </project>
            """;
    private static final String MAIN = "src/main/java/demo/Main.java";
    private static final String SOURCE =
            """
            package demo;
            public class Main {
              public static void main(String[] a) {
                STATEMENT
              }
            }
            """;

    @TempDir Path temporary;
    private Workshop workshop;

    @BeforeEach
    void open() throws Exception {
        workshop = new Workshop(temporary);
    }

    @AfterEach
    void close() throws Exception {
        workshop.close();
    }

    private static Map<String, String> app(String statement) {
        return new LinkedHashMap<>(
                Map.of("pom.xml", POM, MAIN, SOURCE.replace("STATEMENT", statement)));
    }

    @Test
    @Tag("slow")
    void mavenBuildsARunnableJarAndItsErrorIsTheReason() throws Exception {
        var first =
                workshop.built(
                        workshop.request(RuntimeFamily.JAVA, app("System.out.println(\"one\");")));
        assertThat(workshop.run(first)).isEqualTo("one\n");
        var failed = workshop.failed(workshop.request(RuntimeFamily.JAVA, app("moon();")));
        assertThat(failed.stage()).isEqualTo(BuildStage.COMPILE);
        assertThat(failed.reason()).contains(MAIN + ":[4,5] cannot find symbol");
        assertThat(failed.log()).content().contains("BUILD FAILURE");
    }

    @Test
    void theWrapperIsUsedIfThereIsOne() throws Exception {
        Map<String, String> files = app("");
        files.put(
                "mvnw",
                "#!/bin/sh\nmkdir target\ncp app.bin target/app.jar\necho \"$@\" >arguments\n");
        Path tree = workshop.tree(files);
        jar(tree.resolve("app.bin"), "Demo");
        var built = workshop.built(request(tree, null));
        assertThat(built.startCommand().getLast()).isEqualTo("exec java -jar 'target/app.jar'");
        assertThat(built.folder().resolve("arguments"))
                .content()
                .startsWith("-B -ntp package -DskipTests -Dmaven.repo.local=");
    }

    private BuildRequest request(Path tree, @Nullable String entrypoint) {
        var stored =
                (SourceResult.Stored) workshop.builds.sources().folder(tree, IgnorePatterns.NONE);
        return new BuildRequest(
                stored.sources(),
                new AppRuntime(RuntimeFamily.JAVA, ""),
                entrypoint,
                Map.of(),
                "demo",
                BuildProgress.NONE);
    }

    private static void jar(Path file, @Nullable String mainClass) throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (mainClass != null) {
            manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, mainClass);
        }
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            jar.putNextEntry(new JarEntry("data.txt"));
            jar.write('x');
        }
    }

    @Test
    void aRunnableJarNeedsNoBuild() throws Exception {
        Path tree = workshop.tree(Map.of("readme.txt", ""));
        jar(tree.resolve("library.jar"), null);
        assertThat(workshop.failed(request(tree, null)).reason())
                .contains("no jar with a Main-Class");
        jar(tree.resolve("my app.jar"), "demo.Missing");
        var built = workshop.built(request(tree, null));
        assertThat(built.startCommand().getLast()).isEqualTo("exec java -jar 'my app.jar'");
        assertThat(workshop.run(built)).contains("demo.Missing");
        jar(tree.resolve("second.jar"), "demo.Other");
        assertThat(workshop.failed(request(tree, null)).reason())
                .contains("several runnable jars, such as my app.jar and second.jar");
        assertThat(workshop.built(request(tree, "java -cp second.jar demo.Other")).startCommand())
                .containsExactly("/bin/sh", "-c", "java -cp second.jar demo.Other");
    }

    @Test
    void whatIsNotSupportedOrMissingIsNamed() throws Exception {
        assertThat(reason(Map.of("build.gradle.kts", ""))).contains("Gradle");
        BuildRequest request = workshop.request(RuntimeFamily.JAVA, app(""));
        BuildRequest wrong =
                new BuildRequest(
                        request.sources(),
                        new AppRuntime(RuntimeFamily.JAVA, "99"),
                        null,
                        Map.of(),
                        "demo",
                        BuildProgress.NONE);
        assertThat(workshop.failed(wrong).reason())
                .startsWith("Java 99 or newer is not installed with its compiler");
        Path tools = Files.createDirectory(temporary.resolve("tools"));
        Workshop bare =
                new Workshop(temporary, settings -> settings.withToolFolders(List.of(tools)));
        assertThat(bare.failed(request).reason()).startsWith("Java is not installed");
        Path java =
                workshop.settings().toolFolders().stream()
                        .map(folder -> folder.resolve("java"))
                        .filter(candidate -> Files.isExecutable(candidate.resolveSibling("javac")))
                        .findFirst()
                        .orElseThrow();
        Files.createSymbolicLink(tools.resolve("java"), java);
        assertThat(bare.failed(request).reason()).startsWith("Maven is not installed");
    }

    private String reason(Map<String, String> files) throws Exception {
        return workshop.failed(workshop.request(RuntimeFamily.JAVA, files)).reason();
    }

    /** Google's runtime serves it; its API calls are those of the tests of the API. */
    @Test
    @Tag("slow")
    void aWarIsServedByGooglesRuntime() throws Exception {
        Map<String, String> files =
                Map.of(
                        "WEB-INF/web.xml",
                        """
                        <web-app xmlns="http://xmlns.jcp.org/xml/ns/javaee" version="3.1">
                          <welcome-file-list><welcome-file>home.html</welcome-file></welcome-file-list>
                        </web-app>
                        """,
                        "home.html",
                        "exploded");
        var exploded = workshop.built(workshop.request(RuntimeFamily.JAVA, files));
        assertThat(workshop.serve(exploded)).isEqualTo("exploded");
        assertThat(workshop.reusedDependencies()).isFalse();
        Path tree = workshop.tree(Map.of("app.yaml", ""));
        try (OutputStream out = Files.newOutputStream(tree.resolve("app.war"));
                JarOutputStream jar = new JarOutputStream(out)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                jar.putNextEntry(new JarEntry(file.getKey()));
                jar.write(file.getValue().replace("exploded", "packed").getBytes(UTF_8));
            }
        }
        var packed = workshop.built(request(tree, null));
        assertThat(workshop.serve(packed)).isEqualTo("packed");
        assertThat(workshop.layers()).hasSize(1);
    }

    @Test
    void aWarNeedsMaven() throws Exception {
        Path tools = Files.createDirectory(temporary.resolve("tools"));
        Path java =
                workshop.settings().toolFolders().stream()
                        .map(folder -> folder.resolve("java"))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow();
        Files.createSymbolicLink(tools.resolve("java"), java);
        Workshop bare =
                new Workshop(temporary, settings -> settings.withToolFolders(List.of(tools)));
        var failed =
                bare.failed(
                        bare.request(RuntimeFamily.JAVA, Map.of("WEB-INF/web.xml", "<web-app/>")));
        assertThat(failed.reason()).startsWith("Maven is not installed, which downloads");
    }
}
