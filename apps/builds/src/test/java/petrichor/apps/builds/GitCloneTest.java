package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.Cancellation;

class GitCloneTest {
    @TempDir Path temporary;
    private Workshop workshop;

    @BeforeEach
    void open() throws Exception {
        workshop = new Workshop(temporary);
    }

    @AfterEach
    void close() throws Exception {
        assertThat(workshop.leftovers()).isEmpty();
        workshop.close();
    }

    private static void git(Path folder, String... arguments)
            throws IOException, InterruptedException {
        List<String> line =
                new ArrayList<>(
                        List.of("git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"));
        line.addAll(List.of(arguments));
        Process git =
                new ProcessBuilder(line)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(git.getInputStream().readAllBytes(), UTF_8);
        assertThat(git.waitFor()).as(output).isZero();
    }

    private SourceResult clone(String url, @Nullable String branch) {
        return workshop.builds
                .sources()
                .git(url, branch, IgnorePatterns.NONE, Cancellation.never());
    }

    @Test
    void theNewestCommitOfABranchIsRead() throws Exception {
        Path tree = workshop.tree(Map.of("main.py", "one"));
        git(tree, "init", "-q", "-b", "main");
        git(tree, "add", ".");
        git(tree, "commit", "-qm", "one");
        git(tree, "checkout", "-qb", "next");
        Files.writeString(tree.resolve("main.py"), "two");
        git(tree, "commit", "-qam", "two");
        git(tree, "checkout", "-q", "main");
        var main = (SourceResult.Stored) clone("file://" + tree, null);
        assertThat(main.sources().folder().resolve("main.py")).hasContent("one");
        assertThat(main.sources().files()).isEqualTo(1);
        assertThat(main.sources()).isEqualTo(workshop.sources(Map.of("main.py", "one")));
        var next = (SourceResult.Stored) clone("file://" + tree, "next");
        assertThat(next.sources().folder().resolve("main.py")).hasContent("two");
        assertThat(((SourceResult.Refused) clone("file://" + tree, "gone")).reason())
                .contains("could not clone file://")
                .contains("gone");
    }

    @Test
    void neitherHooksNorLinksOutOfTheRepositoryAreFollowed() throws Exception {
        Path tree = workshop.tree(Map.of("main.py", "one"));
        Files.createSymbolicLink(tree.resolve("link"), Path.of("/etc/passwd"));
        git(tree, "init", "-q", "-b", "main");
        git(tree, "add", ".");
        git(tree, "commit", "-qm", "one");
        assertThat(((SourceResult.Refused) clone("file://" + tree, null)).reason())
                .contains("\"link\" leads out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1/repo",
                "git://127.0.0.1/repo",
                "ext::sh -c touch% x",
                "-uupload",
                "--upload-pack=touch x",
                "ssh://-oProxyCommand=touch/x",
                "-oProxyCommand=x@host:path",
                "/tmp/repo",
                "ftp://127.0.0.1/x",
                "https:///x",
                "file"
            })
    void otherAddressesAreRefused(String url) {
        assertThat(((SourceResult.Refused) clone(url, null)).reason())
                .contains("use https://, ssh:// or file://");
    }

    @Test
    void credentialsAreNotInTheReason() {
        assertThat(
                        ((SourceResult.Refused) clone("https://me:secret@127.0.0.1:1/repo", null))
                                .reason())
                .contains("could not clone https://127.0.0.1:1/repo")
                .doesNotContain("secret");
    }

    /** A git that reports how it was called. */
    @Test
    void credentialsAreInTheEnvironmentAndNotInArguments() throws Exception {
        Path tools = Files.createDirectory(temporary.resolve("tools"));
        Path git = tools.resolve("git");
        Files.writeString(
                git,
                """
                #!/bin/sh
                echo "$@" >%1$s/arguments
                echo "$GIT_CONFIG_COUNT $GIT_CONFIG_KEY_0=$GIT_CONFIG_VALUE_0" >%1$s/configuration
                echo "fatal: at https://me:secret@host.invalid/repo" >&2
                exit 1
                """
                        .formatted(tools));
        FileTrees.setMode(git, 0755);
        FileTrees.setMode(tools, 0777);
        Workshop fake =
                new Workshop(temporary, settings -> settings.withToolFolders(List.of(tools)));
        var result =
                fake.builds
                        .sources()
                        .git(
                                "https://me:secret@host.invalid/repo",
                                null,
                                IgnorePatterns.NONE,
                                Cancellation.never());
        assertThat(((SourceResult.Refused) result).reason())
                .endsWith("at https://***@host.invalid/repo");
        assertThat(tools.resolve("arguments"))
                .content()
                .contains("-- https://host.invalid/repo ")
                .doesNotContain("secret");
        assertThat(tools.resolve("configuration"))
                .hasContent(
                        "1 url.https://me:secret@host.invalid/.insteadOf=https://host.invalid/");
    }

    @Test
    void aBranchIsNotAnOption() {
        assertThat(((SourceResult.Refused) clone("file:///x", "--upload-pack=x")).reason())
                .contains("is not the name of a branch");
    }
}
