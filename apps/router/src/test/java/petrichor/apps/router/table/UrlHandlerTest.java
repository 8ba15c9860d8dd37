package petrichor.apps.router.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

final class UrlHandlerTest {
    private static final Path ROOT = Path.of("/srv");

    private static UrlHandler handler(String url, HandlerTarget target) {
        return UrlHandler.of(url, Protection.OPEN, target);
    }

    private static boolean matches(UrlHandler handler, String path) {
        return handler.matches(path, (_, _) -> false);
    }

    @Test
    void expressionsMatchCompletePaths() {
        UrlHandler handler = handler("^/admin/.*$", new HandlerTarget.Instances());
        assertThat(matches(handler, "/admin/x")).isTrue();
        assertThat(matches(handler, "/admin")).isFalse();
        assertThat(matches(handler, "/x/admin/x")).isFalse();
    }

    @Test
    void foldersMatchTheirPrefix() {
        UrlHandler handler = handler("/img/", new HandlerTarget.Folder(ROOT, FileOptions.DEFAULT));
        assertThat(handler.relativeFile("/img/a/b.png")).isEqualTo("a/b.png");
        assertThat(matches(handler, "/img")).isFalse();
        assertThat(matches(handler, "/image/a.png")).isFalse();
        UrlHandler all = handler("/", new HandlerTarget.Folder(ROOT, FileOptions.DEFAULT));
        assertThat(all.relativeFile("/a.png")).isEqualTo("a.png");
    }

    @Test
    void groupsNameFiles() {
        UrlHandler handler =
                handler(
                        "/(.*)/(.*\\.gif)$",
                        new HandlerTarget.File(ROOT, "static/\\2/\\1/\\3", FileOptions.DEFAULT));
        assertThat(handler.relativeFile("/x/y.gif")).isEqualTo("static/y.gif/x/");
        assertThat(matches(handler, "/x/y.png")).isFalse();
    }

    @Test
    void filesThatMustExistAreLookedUp() {
        UrlHandler handler =
                handler(
                        "/",
                        new HandlerTarget.Folder(
                                ROOT,
                                new FileOptions(
                                        Optional.empty(),
                                        FileOptions.DEFAULT.expiration(),
                                        Map.of(),
                                        true)));
        assertThat(handler.matches("/a", (root, file) -> root.equals(ROOT) && file.equals("a")))
                .isTrue();
        assertThat(handler.matches("/b", (_, file) -> file.equals("a"))).isFalse();
    }

    @Test
    void expressionsRunInLinearTime() {
        UrlHandler handler = handler("/(a+)+b", new HandlerTarget.Instances());
        long start = System.nanoTime();
        assertThat(matches(handler, "/" + "a".repeat(10_000))).isFalse();
        assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
        assertThatThrownBy(() -> handler("/(", new HandlerTarget.Instances()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("/(");
    }
}
