package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.frontends.access.TokenHash;
import petrichor.server.config.ServerConfig;

/** Tests which tokens may do what with buckets and objects, on a real server. */
class ObjectRolesTest {
    private static final String UPLOAD = "/upload/storage/v1/b/goods/o?uploadType=";

    @TempDir private Path folder;
    private TestServer server;
    private ObjectsClient client;

    @BeforeEach
    void start() throws Exception {
        Path file = folder.resolve("tokens.toml");
        Files.writeString(
                file,
                section("owner", "admin", "shop")
                        + section("web", "write", "shop")
                        + section("reports", "read", "shop")
                        + section("stock", "admin", "stock"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        server =
                TestServer.start(
                        config ->
                                config.withAuth(
                                        new ServerConfig.Access(
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.of(file),
                                                config.auth().reloadEvery())));
        client = new ObjectsClient(server.port());
        assertThat(post("web", "/storage/v1/b?project=shop", "{\"name\": \"goods\"}"))
                .isEqualTo(200);
        assertThat(post("web", UPLOAD + "media&name=a", "text")).isEqualTo(200);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private static String section(String name, String role, String project) {
        return "[%s]\nrole = \"%s\"\nprojects = [\"%s\"]\nsha256 = \"%s\"\n"
                .formatted(name, role, project, TokenHash.of(name).hex());
    }

    /** A request with the token of that name; none if it is empty. */
    private HttpResponse<String> send(String token, String method, String path, String body)
            throws Exception {
        HttpRequest.Builder request =
                client.request(path).method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request);
    }

    private int post(String token, String path, String body) throws Exception {
        return send(token, "POST", path, body).statusCode();
    }

    private int get(String token, String path) throws Exception {
        return send(token, "GET", path, "").statusCode();
    }

    @Test
    void readersReadAndDoNotWrite() throws Exception {
        assertThat(get("reports", "/storage/v1/b/goods")).isEqualTo(200);
        assertThat(get("reports", "/storage/v1/b/goods/o")).isEqualTo(200);
        assertThat(get("reports", "/storage/v1/b/goods/o/a?alt=media")).isEqualTo(200);
        assertThat(get("reports", "/goods/a")).isEqualTo(200);
        assertThat(get("reports", "/storage/v1/b?project=shop")).isEqualTo(200);
        assertThat(post("reports", UPLOAD + "media&name=b", "x")).isEqualTo(403);
        assertThat(post("reports", UPLOAD + "resumable&name=b", "")).isEqualTo(403);
        assertThat(send("reports", "DELETE", "/storage/v1/b/goods/o/a", "").statusCode())
                .isEqualTo(403);
        assertThat(send("reports", "PATCH", "/storage/v1/b/goods/o/a", "{}").statusCode())
                .isEqualTo(403);
        assertThat(send("reports", "PATCH", "/storage/v1/b/goods/o/a", "?").statusCode())
                .isEqualTo(403);
        assertThat(send("reports", "PUT", "/storage/v1/b/goods/o/a", "?").statusCode())
                .isEqualTo(403);
        assertThat(send("reports", "PUT", "/goods/b", "x").statusCode()).isEqualTo(403);
        assertThat(send("reports", "DELETE", "/storage/v1/b/goods", "").statusCode())
                .isEqualTo(403);
        assertThat(post("reports", "/storage/v1/b/goods/o/a/copyTo/b/goods/o/b", ""))
                .isEqualTo(403);
        assertThat(post("reports", "/storage/v1/b/goods/o/b/compose", "{}")).isEqualTo(403);
    }

    @Test
    void otherProjectsHaveNoAccess() throws Exception {
        for (String path :
                new String[] {
                    "/storage/v1/b/goods",
                    "/storage/v1/b/goods/o",
                    "/storage/v1/b/goods/o/a",
                    "/storage/v1/b/goods/o/a?alt=media",
                    "/download/storage/v1/b/goods/o/a?alt=media",
                    "/goods/a",
                    "/storage/v1/b?project=shop",
                }) {
            assertThat(get("stock", path)).as(path).isEqualTo(403);
            assertThat(get("", path)).as(path).isEqualTo(401);
            assertThat(get("wrong", path)).as(path).isEqualTo(401);
        }
        assertThat(post("stock", UPLOAD + "media&name=b", "x")).isEqualTo(403);
        assertThat(post("", UPLOAD + "media&name=b", "x")).isEqualTo(401);
        assertThat(post("stock", "/storage/v1/b?project=stock", "{\"name\": \"store\"}"))
                .isEqualTo(200);
        // Neither into the project nor out of it.
        assertThat(post("stock", "/storage/v1/b/goods/o/a/copyTo/b/store/o/a", "")).isEqualTo(403);
        assertThat(post("web", "/storage/v1/b/goods/o/a/copyTo/b/store/o/a", "")).isEqualTo(403);
    }

    @Test
    void anUploadIsContinuedWithItsIdAlone() throws Exception {
        String location =
                send("web", "POST", UPLOAD + "resumable&name=b", "")
                        .headers()
                        .firstValue("location")
                        .orElseThrow();
        assertThat(send("", "PUT", location, "text").statusCode()).isEqualTo(200);
        assertThat(send("", "PUT", location.replaceAll("..$", "zz"), "text").statusCode())
                .isEqualTo(404);
    }

    @Test
    void onlyAdministratorsManageKeys() throws Exception {
        String keys = "/petrichor/v1/projects/shop/storage-keys";
        assertThat(post("web", keys, "{\"name\": \"signer\"}")).isEqualTo(403);
        assertThat(post("stock", keys, "{\"name\": \"signer\"}")).isEqualTo(403);
        assertThat(post("", keys, "{\"name\": \"signer\"}")).isEqualTo(401);
        assertThat(post("owner", keys, "{\"name\": \"signer\"}")).isEqualTo(200);
        assertThat(get("web", keys)).isEqualTo(403);
        assertThat(send("owner", "GET", keys, "").body()).contains("signer@shop");
    }
}
