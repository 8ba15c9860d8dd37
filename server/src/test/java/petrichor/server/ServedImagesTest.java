package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.images.ImagesServicePb.ImagesDeleteUrlBaseRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesDeleteUrlBaseResponse;
import com.google.appengine.api.images.ImagesServicePb.ImagesGetUrlBaseRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesGetUrlBaseResponse;
import com.google.apphosting.base.protos.api.RemoteApiPb;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** URLs that serve blobs of an app as images. */
class ServedImagesTest {
    private static final String PROJECT = "gallery";
    private static final String BUCKET = "gallery-pictures";

    private final TestServer server = TestServer.start();
    private final ObjectsClient objects = new ObjectsClient(server.port());
    private final BundledCalls app = new BundledCalls(server.port(), PROJECT);

    @AfterEach
    void close() {
        objects.close();
        server.close();
    }

    @Test
    void aBlobIsServedInTheSizeThatTheUrlNames() throws Exception {
        byte[] picture = picture(800, 400);
        String url = url(stored("a.png", "image/png", picture));
        assertThat(size(url)).as("the default").isEqualTo("512x256");
        assertThat(size(url + "=s100")).isEqualTo("100x50");
        assertThat(size(url + "=s100-c")).isEqualTo("100x100");
        HttpResponse<byte[]> original = get(url + "=s0");
        assertThat(original.body()).isEqualTo(picture);
        assertThat(original.headers().firstValue("content-type")).contains("image/png");
        assertThat(get(url + "=s1600").body()).as("a smaller image").isEqualTo(picture);
        assertThat(get(url + "=s1601").statusCode()).isEqualTo(400);
    }

    @Test
    void onlyWhatTheAppServesIsServedUntilTheAppEndsIt() throws Exception {
        String key = stored("b.png", "image/png", picture(40, 20));
        String path = "/_ah/img/" + PROJECT + "/" + key;
        String base = "http://127.0.0.1:" + server.port();
        assertThat(get(base + path).statusCode()).as("not served yet").isEqualTo(404);
        String url = url(key);
        assertThat(url(key)).as("the same URL each time").isEqualTo(url);
        assertThat(get(url).statusCode()).isEqualTo(200);
        app.call(
                "images",
                "DeleteUrlBase",
                ImagesDeleteUrlBaseRequest.newBuilder().setBlobKey(key).build(),
                ImagesDeleteUrlBaseResponse.parser());
        assertThat(get(url).statusCode()).isEqualTo(404);
    }

    @Test
    void anotherAppCannotServeTheBlob() throws Exception {
        String key = stored("c.png", "image/png", picture(40, 20));
        RemoteApiPb.Response refused =
                new BundledCalls(server.port(), "stranger")
                        .response("images", "GetUrlBase", request(key));
        assertThat(refused.hasApplicationError()).isTrue();
        url(key);
        String path = "http://127.0.0.1:" + server.port() + "/_ah/img/unknown-app/" + key;
        assertThat(get(path).statusCode()).isEqualTo(404);
        assertThat(server.get("/petrichor/v1/databases").body()).doesNotContain("unknown-app");
    }

    @Test
    void whatIsNotAnImageIsNotServed() throws Exception {
        String url =
                url(
                        stored(
                                "d.html",
                                "text/html",
                                "<script>alert(1)</script>".getBytes(StandardCharsets.UTF_8)));
        assertThat(get(url + "=s0").statusCode()).isEqualTo(415);
        assertThat(get(url).body()).asString().doesNotContain("script");
    }

    /** Stores an object; returns its blob key. */
    private String stored(String name, String type, byte[] content) throws Exception {
        objects.createBucket(PROJECT, BUCKET);
        HttpResponse<String> stored =
                objects.send(
                        objects.request(
                                        "/upload/storage/v1/b/"
                                                + BUCKET
                                                + "/o?uploadType=media&name="
                                                + name)
                                .header("Content-Type", type)
                                .POST(HttpRequest.BodyPublishers.ofByteArray(content)));
        assertThat(stored.statusCode()).isEqualTo(200);
        return "encoded_gs_file:"
                + Base64.getUrlEncoder()
                        .encodeToString((BUCKET + "/" + name).getBytes(StandardCharsets.UTF_8));
    }

    private static ImagesGetUrlBaseRequest request(String key) {
        return ImagesGetUrlBaseRequest.newBuilder().setBlobKey(key).build();
    }

    private String url(String key) throws IOException {
        return app.call("images", "GetUrlBase", request(key), ImagesGetUrlBaseResponse.parser())
                .getUrl();
    }

    private String size(String url) throws Exception {
        HttpResponse<byte[]> response = get(url);
        assertThat(response.statusCode()).isEqualTo(200);
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(response.body()));
        return image.getWidth() + "x" + image.getHeight();
    }

    private HttpResponse<byte[]> get(String url) {
        URI address = URI.create(url);
        return server.send(
                server.request(address.getRawPath()), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static byte[] picture(int width, int height) throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        image.setRGB(0, 0, 0xFF0000);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "png", bytes);
        return bytes.toByteArray();
    }
}
