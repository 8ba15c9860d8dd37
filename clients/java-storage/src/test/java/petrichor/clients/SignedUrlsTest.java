package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.auth.oauth2.ServiceAccountCredentials;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.HttpMethod;
import com.google.cloud.storage.Storage.SignUrlOption;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SignedUrlsTest {
    private static final String KEYS =
            StorageFixture.host() + "/petrichor/v1/projects/" + StorageFixture.PROJECT + "/storage-keys";

    private final HttpClient http = HttpClient.newHttpClient();

    private HttpResponse<String> send(String method, String url, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static String sign(StorageFixture f, BlobInfo object, HttpMethod method, SignUrlOption... more) {
        SignUrlOption[] options = new SignUrlOption[more.length + 4];
        System.arraycopy(more, 0, options, 4, more.length);
        options[0] = SignUrlOption.withV4Signature();
        options[1] = SignUrlOption.httpMethod(method);
        options[2] = SignUrlOption.withPathStyle();
        options[3] = SignUrlOption.withHostName(StorageFixture.host());
        URL url = f.storage.signUrl(object, 60, TimeUnit.SECONDS, options);
        return url.toString();
    }

    @Test
    void signedUrls() throws Exception {
        HttpResponse<String> created = send("POST", KEYS, "{\"name\": \"k" + StorageFixture.unused().substring(8) + "\"}");
        assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
        InputStream json = new ByteArrayInputStream(created.body().getBytes(StandardCharsets.UTF_8));
        ServiceAccountCredentials key = ServiceAccountCredentials.fromStream(json);
        SignUrlOption signer = SignUrlOption.signWith(key);
        try (StorageFixture f = StorageFixture.open()) {
            BlobInfo object = f.object("dir/ä b+c.txt");
            Map<String, String> headers = Map.of("x-goog-meta-color", "blue");
            String upload = sign(f, object, HttpMethod.PUT, signer, SignUrlOption.withExtHeaders(headers));
            assertThat(send("PUT", upload, "text", "x-goog-meta-color", "blue").statusCode()).isEqualTo(200);
            assertThat(f.storage.get(object.getBlobId()).getMetadata()).isEqualTo(Map.of("color", "blue"));
            String download = sign(f, object, HttpMethod.GET, signer);
            assertThat(send("GET", download, "").body()).isEqualTo("text");
            HttpResponse<String> refused = send("DELETE", download, "");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("<Code>AccessDenied</Code>");
            assertThat(send("DELETE", sign(f, object, HttpMethod.DELETE, signer), "").statusCode()).isEqualTo(204);
            assertThat(send("GET", download, "").statusCode()).isEqualTo(404);
        } finally {
            send("DELETE", KEYS + "/" + key.getClientEmail(), "");
        }
    }
}
