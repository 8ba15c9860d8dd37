package petrichor.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.entities.KindPlacement.Subject;

class PlacementSettingsTest {
    private static final String PHOTOS = "[stores.photos]\nurl = \"redis://h:1/0\"\n";

    @TempDir Path folder;

    private PlacementSettings read(String toml) throws IOException {
        Path file = Files.writeString(folder.resolve("petrichor.toml"), toml);
        return ServerConfig.of(Settings.read(Optional.of(file), Map.of(), Map.of()))
                .store()
                .placed();
    }

    @Test
    void kindsAndNamespacesArePlacedInNamedStores() throws IOException {
        PlacementSettings settings =
                read(
                        PHOTOS
                                + """
                                [stores.cold]
                                url = "hbase://h/cold"
                                password-file = "secret"
                                [placement]
                                Photo = "photos"
                                "namespace:archive" = "cold"
                                "archive/Photo" = "photos"
                                """);
        assertThat(settings.stores()).containsOnlyKeys("photos", "cold");
        assertThat(settings.stores().get("cold"))
                .satisfies(
                        store ->
                                assertThat(store.passwordFile())
                                        .contains(folder.resolve("secret")));
        assertThat(settings.rules())
                .hasSize(3)
                .hasEntrySatisfying(
                        new Subject("archive", null),
                        rule -> assertThat(rule.store()).isEqualTo("cold"));
        assertThat(settings.lines())
                .contains(
                        new PlacementSettings.Line(
                                "placement",
                                "Photo",
                                "photos",
                                "file " + folder.resolve("petrichor.toml") + ":7"))
                .extracting(PlacementSettings.Line::value)
                .doesNotContain("redis://h:1/0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    [placement]~Photo = "photos" | add a section [stores.photos]
                    [stores.photos]~url = "redis://h/0"~[placement]~Photo = "fotos" | configured are photos
                    [stores.home]~url = "redis://h/0" | must not be named "home"
                    [stores.ring]~url = "redis://h/0" | must not be named "ring"
                    [stores.photos]~urll = "redis://h/0" | unknown key stores.photos.urll
                    [stores.photos]~password-file = "x" | has no url
                    [stores.photos]~url = "redis://h/0"~[placement]~"archive/" = "photos" | cannot be placed
                    [stores.photos]~url = "redis://h/0"~[placement]~Photo = 3 | must be the name of a store
                    [stores.a]~url = "redis://h/0"~[stores.b]~url = "redis://h/0" | is the same store as stores.a
                    [store]~url = "redis://h/0"~[stores.b]~url = "redis://h/0" | is the same store as store.url
                    [store]~memory = true~[stores.b]~url = "redis://h/0"~[placement]~P = "b" | store.memory and a [placement]
                    stores = 3 | must be a section
                    """)
    void invalidPlacementsAreRefused(String toml, String why) {
        assertThatThrownBy(() -> read(toml.replace('~', '\n'))).hasMessageContaining(why);
    }
}
