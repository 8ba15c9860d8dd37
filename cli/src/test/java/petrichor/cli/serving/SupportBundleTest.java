package petrichor.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Logger;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** Tests that support bundles contain the needed information, and none of the planted secrets. */
final class SupportBundleTest {
    private static final List<String> SECRETS =
            List.of(
                    "tok3n-of-the-api",
                    "pa55word-in-url",
                    "pa55word-in-file",
                    "clust3r-token-x",
                    "k3ystore-password",
                    "b3arer-of-another",
                    "pa55word-of-redis",
                    "MIIEvQIBADANBgkqhkiG");

    @TempDir private Path folder;

    @Test
    void bundleHasNoSecretOfTheConfigurationTheLogOrTheThreads() throws Exception {
        Path passwordFile = Files.writeString(folder.resolve("p.secret"), "pa55word-in-file\n");
        Path config =
                Files.writeString(
                        folder.resolve("petrichor.toml"),
                        """
                        [auth]
                        token = "tok3n-of-the-api"

                        [stores.photos]
                        url = "nothing://ann:pa55word-in-url@127.0.0.1:1/photos"

                        [stores.files]
                        url = "nothing://bob@127.0.0.1:1/files"
                        password-file = "%s"

                        [placement]
                        Photo = "photos"
                        File = "files"
                        """
                                .formatted(passwordFile));
        ServerConfig served =
                ServerConfig.defaults().withMemory().withPort(0).withToken("tok3n-of-the-api");
        CountDownLatch over = new CountDownLatch(1);
        Thread named =
                Thread.ofPlatform()
                        .name("redis://default:pa55word-of-redis@10.0.0.1/x")
                        .start(() -> await(over));
        try (Server server = Server.start(served)) {
            Logger log = Logger.getLogger("petrichor.test");
            log.warning("cannot open redis://default:pa55word-in-url@db:6379/x: away");
            log.warning("keystore.password=k3ystore-password and {\"token\": \"clust3r-token-x\"}");
            log.warning("Authorization: Bearer b3arer-of-another");
            log.warning("pa55word-in-file was read");
            log.warning(
                    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END PRIVATE KEY-----");
            Path bundle = folder.resolve("bundle.zip");
            CommandRun run =
                    CommandRun.of(
                            "support-bundle",
                            "--config",
                            config.toString(),
                            "--data",
                            folder.resolve("data").toString(),
                            "--server",
                            "127.0.0.1:" + server.port(),
                            "--token",
                            "tok3n-of-the-api",
                            "--output",
                            bundle.toString());
            assertThat(run.code()).as(run.toString()).isZero();
            Map<String, String> files = files(bundle);
            assertThat(files.keySet())
                    .contains(
                            "petrichor-support/about.json",
                            "petrichor-support/config.toml",
                            "petrichor-support/doctor.jsonl",
                            "petrichor-support/server/metrics.txt",
                            "petrichor-support/server/log.jsonl",
                            "petrichor-support/server/threads.txt",
                            "petrichor-support/server/cluster.json",
                            "petrichor-support/server/databases.json");
            assertThat(files.get("petrichor-support/server/metrics.txt"))
                    .contains("petrichor_build_info");
            assertThat(files.get("petrichor-support/server/log.jsonl"))
                    .contains("cannot open redis://default:")
                    .contains("Authorization: Bearer " + Redaction.REMOVED);
            assertThat(files.get("petrichor-support/server/threads.txt"))
                    .contains("redis://default:" + Redaction.REMOVED + "@10.0.0.1/x");
            for (String secret : SECRETS) {
                files.forEach((name, text) -> assertThat(text).as(name).doesNotContain(secret));
            }
        } finally {
            over.countDown();
            named.join();
        }
    }

    @Test
    void secretsOfTheEnvironmentAndOfCoordinationAreRemoved() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("c.toml"),
                        """
                        [cluster]
                        coordination = "zookeeper://ann:d1gest-secret@zk:2181/petrichor"
                        token = "clust3r-token-x"
                        """);
        Settings settings = Settings.read(Optional.of(file), Map.of(), Map.of());
        Redaction redaction =
                Redaction.of(
                        settings,
                        Map.of("AWS_SECRET_ACCESS_KEY", "aws-s3cret", "HOME", "/home/ann"),
                        "t0ken");
        assertThat(redaction.of("d1gest-secret, clust3r-token-x, aws-s3cret, t0ken, /home/ann"))
                .isEqualTo("(removed), (removed), (removed), (removed), /home/ann");
    }

    private static void await(CountDownLatch over) {
        try {
            over.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, String> files(Path bundle) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(bundle))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return files;
    }
}
