package petrichor.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;
import petrichor.rpc.PeerCertificates;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

final class ClusterCertificatesCommandTest {
    @TempDir private Path folder;

    private CommandRun create(String... words) {
        String[] all = new String[4 + words.length];
        all[0] = "cluster";
        all[1] = "certificates";
        all[2] = "--folder";
        all[3] = folder.resolve("authority").toString();
        System.arraycopy(words, 0, all, 4, words.length);
        return CommandRun.of(all);
    }

    @Test
    void printedConfigurationIsAcceptedByServers() throws Exception {
        CommandRun made = create("one.example");
        assertThat(made.code()).as(made.err()).isZero();
        Path file = folder.resolve("petrichor.toml");
        Files.writeString(
                file,
                made.out() + "cluster.coordination = \"zookeeper://127.0.0.1:2181/petrichor\"\n");
        ServerConfig config = ServerConfig.of(Settings.read(Optional.of(file), Map.of(), Map.of()));
        PeerCertificates read =
                PeerCertificates.read(config.cluster().certificates().orElseThrow());
        assertThat(read.validUntil())
                .isBetween(
                        Instant.now().plus(Duration.ofDays(364)),
                        Instant.now().plus(Duration.ofDays(366)));
    }

    @Test
    void aRenewalKeepsTheAuthority() throws Exception {
        assertThat(create("one.example", "two.example").code()).isZero();
        Path authority = folder.resolve("authority");
        byte[] before = Files.readAllBytes(authority.resolve("authority.pem"));
        byte[] one = Files.readAllBytes(authority.resolve("one.example.pem"));
        byte[] two = Files.readAllBytes(authority.resolve("two.example.pem"));
        assertThat(create("two.example", "--days", "10").code()).isZero();
        assertThat(Files.readAllBytes(authority.resolve("authority.pem"))).isEqualTo(before);
        assertThat(Files.readAllBytes(authority.resolve("one.example.pem"))).isEqualTo(one);
        assertThat(Files.readAllBytes(authority.resolve("two.example.pem"))).isNotEqualTo(two);
    }

    @Test
    void namesThatLeaveTheFolderAreRefused() {
        CommandRun refused = create("../one");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("cannot be the name of a server");
    }
}
