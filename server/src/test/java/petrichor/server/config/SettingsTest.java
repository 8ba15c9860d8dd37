package petrichor.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    @TempDir Path folder;

    @Test
    void aFlagWinsOverTheEnvironmentWhichWinsOverTheFile() throws IOException {
        Path file =
                file(
                        """
                        [server]
                        host = "127.0.0.1"
                        port = 1
                        drain-timeout = "3s"
                        """);
        Settings settings =
                Settings.read(
                        Optional.of(file),
                        Map.of(
                                "PETRICHOR_SERVER__PORT", "2",
                                "PETRICHOR_SERVER__DRAIN_TIMEOUT", "4s"),
                        Map.of(ConfigKey.SERVER_PORT, "3"));

        ServerConfig.Listen server = ServerConfig.of(settings).server();
        assertThat(server.port()).isEqualTo(3);
        assertThat(server.drain()).isEqualTo(Duration.ofSeconds(4));
        assertThat(server.host()).isEqualTo("127.0.0.1");
        assertThat(origin(settings, ConfigKey.SERVER_PORT)).isEqualTo("flag");
        assertThat(origin(settings, ConfigKey.SERVER_DRAIN_TIMEOUT))
                .isEqualTo("env PETRICHOR_SERVER__DRAIN_TIMEOUT");
        assertThat(origin(settings, ConfigKey.SERVER_HOST)).isEqualTo("file " + file + ":2");
        assertThat(origin(settings, ConfigKey.LOG_LEVEL)).isEqualTo("default");
    }

    @Test
    void aMisspelledKeyNamesItsLineAndTheNearestKey() throws IOException {
        Path file = file("\n[server]\nprot = 8081\n");
        assertThatThrownBy(() -> Settings.read(Optional.of(file), Map.of(), Map.of()))
                .hasMessageContaining("unknown key server.prot")
                .hasMessageContaining(file + ":3")
                .hasMessageContaining("did you mean server.port?");
    }

    @Test
    void aVariableWithOneUnderscoreIsWarnedAbout() {
        Map<String, String> environment =
                Map.of("PETRICHOR_SERVER_PORT", "1", "PETRICHOR_TOKEN", "t", "PETRICHOR_X_Y", "");
        Settings settings = Settings.read(Optional.empty(), environment, Map.of());
        assertThat(settings.warnings())
                .singleElement()
                .asString()
                .contains("PETRICHOR_SERVER_PORT has no effect")
                .contains("PETRICHOR_SERVER__PORT");
        assertThat(ServerConfig.of(settings).server().port()).isEqualTo(8081);
    }

    @Test
    void aMisspelledVariableNamesTheNearestOne() {
        Map<String, String> environment = Map.of("PETRICHOR_STORE__MEMROY", "true");
        assertThatThrownBy(() -> Settings.read(Optional.empty(), environment, Map.of()))
                .hasMessageContaining("did you mean PETRICHOR_STORE__MEMORY?");
    }

    @Test
    void variablesThatAreNotMeantForTheConfigurationAreLeftAlone() {
        Map<String, String> environment = Map.of("PETRICHOR_HOME", "/opt", "PATH", "/bin");
        assertThat(Settings.read(Optional.empty(), environment, Map.of()).list())
                .allSatisfy(setting -> assertThat(setting.origin()).isEqualTo("default"));
    }

    @Test
    void anInvalidValueIsRefusedWithItsConstraint() throws IOException {
        Path file = file("[server]\nport = \"many\"\n");
        assertThatThrownBy(() -> Settings.read(Optional.of(file), Map.of(), Map.of()))
                .hasMessage(
                        "server.port is \"many\" (file "
                                + file
                                + ":2); it must be a whole number from 0 to 65535");
    }

    @Test
    void anUnknownSectionIsRefusedEvenIfItIsEmpty() throws IOException {
        Path file = file("[sever]\n");
        assertThatThrownBy(() -> Settings.read(Optional.of(file), Map.of(), Map.of()))
                .hasMessageContaining("unknown section [sever]")
                .hasMessageContaining("did you mean [server]?");
    }

    @Test
    void objectsAreInOnePlace() {
        Map<ConfigKey, String> both =
                Map.of(ConfigKey.STORAGE_FOLDER, "f", ConfigKey.STORAGE_BUCKET, "s3://bucket");
        Settings settings = Settings.read(Optional.empty(), Map.of(), both);
        assertThatThrownBy(() -> ServerConfig.of(settings))
                .hasMessageContaining("storage.folder and storage.bucket are both set");
    }

    @Test
    void unsetKeysHaveTheirDefaults() {
        Settings bare = Settings.read(Optional.empty(), Map.of(), Map.of());
        Settings set =
                Settings.read(
                        Optional.empty(), Map.of(), Map.of(ConfigKey.INDEXES_FILE, "mine.yaml"));
        assertThat(bare.orElse(ConfigKey.INDEXES_FILE, "index.yaml", "found").list())
                .contains(new Setting(ConfigKey.INDEXES_FILE, "index.yaml", "found"));
        assertThat(set.orElse(ConfigKey.INDEXES_FILE, "index.yaml", "found").list())
                .contains(new Setting(ConfigKey.INDEXES_FILE, "mine.yaml", "flag"));
    }

    @Test
    void invalidTomlIsRefusedWithThePosition() throws IOException {
        Path file = file("[server\nport = 1\n");
        assertThatThrownBy(() -> Settings.read(Optional.of(file), Map.of(), Map.of()))
                .hasMessageContaining("is not valid TOML")
                .hasMessageContaining("line 1");
    }

    @Test
    void pathsInAFileAreRelativeToTheFile() throws IOException {
        Path file = file("[store]\ndata = \"here\"\n");
        Settings settings = Settings.read(Optional.of(file), Map.of(), Map.of());
        assertThat(ServerConfig.of(settings).store().data()).isEqualTo(folder.resolve("here"));
    }

    @Test
    void secretsAreNotShown() {
        Settings settings =
                Settings.read(Optional.empty(), Map.of(), Map.of(ConfigKey.AUTH_TOKEN, "s3cr3t"));
        assertThat(settings.list())
                .extracting(Setting::shown)
                .contains("(hidden)")
                .doesNotContain("s3cr3t");
        assertThat(ServerConfig.of(settings).auth().token()).contains("s3cr3t");
    }

    @Test
    void tlsWithoutKeyOrCertificateIsRefused() {
        Settings settings =
                Settings.read(Optional.empty(), Map.of(), Map.of(ConfigKey.TLS_KEY, "key.pem"));
        assertThatThrownBy(() -> ServerConfig.of(settings)).hasMessageContaining("TLS needs both");
    }

    @Test
    void theStandardValueOfEveryKeyFits() {
        for (ConfigKey key : ConfigKey.values()) {
            assertThat(SettingValue.fits(key.kind(), key.standard())).as(key.key()).isTrue();
            assertThat(ConfigVariables.key(key.environmentVariable())).contains(key);
        }
    }

    @Test
    void sizesAndDurationsHaveUnits() {
        assertThat(SettingValue.bytes("32 MiB")).isEqualTo(32 << 20);
        assertThat(SettingValue.bytes("16kib")).isEqualTo(16 << 10);
        assertThat(SettingValue.bytes("4096")).isEqualTo(4_096);
        assertThat(SettingValue.bytes("4 MB")).isEqualTo(-1);
        assertThat(SettingValue.duration("250ms")).isEqualTo(Duration.ofMillis(250));
        assertThat(SettingValue.duration("2h")).isEqualTo(Duration.ofHours(2));
        assertThat(SettingValue.fits(SettingKind.DURATION, "0s")).isFalse();
        assertThat(SettingValue.fits(SettingKind.BYTES, "2048 MiB")).isFalse();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("petrichor.toml"), text);
    }

    private static String origin(Settings settings, ConfigKey key) {
        return settings.list().stream()
                .filter(setting -> setting.key() == key)
                .findFirst()
                .orElseThrow()
                .origin();
    }

    @Test
    void serversThatAppsMayReachHaveAnAddressAndAPort() {
        assertThat(reachable("127.0.0.1:5432, [::1]:6379").hosting().reachable())
                .extracting(Object::toString)
                .containsExactly("/127.0.0.1:5432", "/[0:0:0:0:0:0:0:1]:6379");
        for (String invalid :
                List.of("localhost:5432", "127.0.0.1", "127.0.0.1:1/db", "a b", ",")) {
            assertThatThrownBy(() -> reachable(invalid))
                    .as(invalid)
                    .hasMessageContaining("apps.reachable")
                    .hasMessageContaining("127.0.0.1:5432");
        }
    }

    private static AppSettings reachable(String text) {
        Map<String, String> environment = Map.of("PETRICHOR_APPS__REACHABLE", text);
        return AppSettings.of(Settings.read(Optional.empty(), environment, Map.of()));
    }
}
