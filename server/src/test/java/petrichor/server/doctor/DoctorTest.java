package petrichor.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.instances.Isolation;
import petrichor.apps.instances.IsolationFeature;
import petrichor.kv.StoreUrl;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.kv.testkit.TestCertificates;
import petrichor.server.config.ServerConfig;
import petrichor.server.doctor.Finding.Status;

/** Tests the finding of each check. */
class DoctorTest {
    private static final long GIBIBYTE = 1L << 30;

    @TempDir private Path folder;

    @Test
    void limitsOfTheMachine() {
        assertThat(MachineChecks.java(24).status()).isEqualTo(Status.FAILED);
        assertThat(MachineChecks.java(25).status()).isEqualTo(Status.OK);
        assertThat(MachineChecks.heap(7 * GIBIBYTE, 8 * GIBIBYTE).status())
                .isEqualTo(Status.WARNING);
        assertThat(MachineChecks.heap(GIBIBYTE / 8, 8 * GIBIBYTE).status())
                .isEqualTo(Status.WARNING);
        assertThat(MachineChecks.heap(2 * GIBIBYTE, 8 * GIBIBYTE).status()).isEqualTo(Status.OK);
        assertThat(MachineChecks.handles(256))
                .extracting(Finding::status, Finding::remedy)
                .containsExactly(
                        Status.FAILED,
                        "raise the limit: ulimit -n 65536, or LimitNOFILE=65536 of a systemd unit");
        assertThat(MachineChecks.handles(4_096).status()).isEqualTo(Status.WARNING);
        assertThat(MachineChecks.handles(65_536).status()).isEqualTo(Status.OK);
        assertThat(FolderChecks.space(folder, GIBIBYTE / 2, 100 * GIBIBYTE).status())
                .isEqualTo(Status.FAILED);
        assertThat(FolderChecks.space(folder, 5 * GIBIBYTE, 100 * GIBIBYTE).status())
                .isEqualTo(Status.WARNING);
    }

    @Test
    void isolationOfApps() {
        Isolation machine = AppsCheck.probe();
        Finding found =
                AppsCheck.of(machine.without(IsolationFeature.NETWORK, "All is reachable."));
        assertThat(found.status()).isEqualTo(Status.WARNING);
        assertThat(found.what()).contains("network");
        assertThat(found.remedy()).contains("docs/apps/instances.md");
        assertThat(AppsCheck.of(machine).status())
                .isEqualTo(machine.limitations().isEmpty() ? Status.OK : Status.WARNING);
    }

    @Test
    void dataFolderOfANewerVersionAndOneThatOthersMayRead() throws Exception {
        Path data = folder.resolve("data");
        RocksStore.open(data).close();
        assertThat(Checks.dataFolder(data))
                .extracting(Finding::status)
                .doesNotContain(Status.FAILED);
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(Checks.dataFolder(data))
                .anyMatch(
                        one ->
                                one.status() == Status.WARNING
                                        && one.remedy().equals("chmod 700 " + data));
        Files.writeString(data.resolve("FORMAT"), "petrichor data folder, format 99\n");
        assertThat(Checks.dataFolder(data))
                .anyMatch(
                        one ->
                                one.check().equals("data-format")
                                        && one.status() == Status.FAILED
                                        && !one.remedy().isEmpty());
    }

    @Test
    void clocksThatDiffer() {
        Instant asked = Instant.EPOCH;
        Instant answered = asked.plusMillis(200);
        assertThat(clock(asked, asked.plusMillis(1_050), answered)).isEqualTo(Status.OK);
        assertThat(clock(asked, asked.plusSeconds(3), answered)).isEqualTo(Status.WARNING);
        assertThat(clock(asked, asked.minusSeconds(90), answered)).isEqualTo(Status.FAILED);
        assertThat(ClockCheck.of("a:1", Optional.empty()).status()).isEqualTo(Status.WARNING);
    }

    private static Status clock(Instant asked, Instant said, Instant answered) {
        return ClockCheck.of(
                        "a:1", Optional.of(new ClockCheck.Reading("a:1", asked, said, answered)))
                .status();
    }

    @Test
    void portsCertificatesAndSecrets() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket taken = new ServerSocket(0, 1, here)) {
            Finding port = Checks.port(List.of(here), taken.getLocalPort());
            assertThat(port.status()).isEqualTo(Status.WARNING);
            assertThat(port.what())
                    .startsWith("cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": ");
        }
        assertThat(
                        Checks.certificate(
                                        "tls-certificate",
                                        folder.resolve("none.pem"),
                                        Instant.now())
                                .status())
                .isEqualTo(Status.FAILED);
        var made = TestCertificates.make();
        Instant now = Instant.now();
        assertThat(Checks.certificate("tls-certificate", made.server(), now).status())
                .isEqualTo(Status.WARNING);
        assertThat(
                        Checks.certificate(
                                        "tls-certificate",
                                        made.server(),
                                        now.plus(Duration.ofDays(31)))
                                .status())
                .isEqualTo(Status.FAILED);
        assertThat(
                        Checks.certificate(
                                        "tls-certificate",
                                        made.server(),
                                        now.minus(Duration.ofDays(31)))
                                .status())
                .isEqualTo(Status.OK);
        Path token = Files.writeString(folder.resolve("token"), "t");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(Checks.secret("token-file", token).remedy()).isEqualTo("chmod 600 " + token);
        assertThat(Checks.secret("token-file", folder.resolve("none")).status())
                .isEqualTo(Status.FAILED);
    }

    @Test
    void otherChecksRunIfAStoreCannotBeOpened() {
        ServerConfig config =
                ServerConfig.defaults()
                        .withPort(0)
                        .withStoreUrl(StoreUrl.parse("nothing://127.0.0.1/x"));
        assertThat(Doctor.examine(config))
                .anyMatch(one -> one.check().equals("store") && one.status() == Status.FAILED)
                .anyMatch(one -> one.check().equals("file-handles"));
    }
}
