package petrichor.clients.appengine;

import static com.google.appengine.api.blobstore.UploadOptions.Builder.withMaxUploadSizeBytesPerBlob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.blobstore.BlobInfo;
import com.google.appengine.api.blobstore.BlobInfoFactory;
import com.google.appengine.api.blobstore.BlobKey;
import com.google.appengine.api.blobstore.BlobstoreInputStream;
import com.google.appengine.api.blobstore.ee10.BlobstoreService;
import com.google.appengine.api.blobstore.ee10.BlobstoreServiceFactory;
import com.google.appengine.api.images.Image;
import com.google.appengine.api.images.ImagesService;
import com.google.appengine.api.images.ImagesServiceFactory;
import com.google.appengine.api.images.ServingUrlOptions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Forms that a browser uploads, the callback to the app, and the calls of {@code blobstore}. */
class BlobstoreTest {
    private static final String BOUNDARY = "boundary-of-the-form";

    private final BlobstoreService blobs = BlobstoreServiceFactory.getBlobstoreService();
    private final String[] target = App.variable("PETRICHOR_TEST_APP").split("=", 2);
    private final App app = new App(target[0]);
    private final List<BlobInfo> uploaded = new ArrayList<>();
    private ServletApp server;
    private String title;

    @BeforeEach
    void start() throws Exception {
        server = new ServletApp(app, URI.create(target[1]).getPort(), this::received);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    /** The app's page for uploads, with the SDK's functions for them. */
    private void received(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Map<String, List<BlobInfo>> infos = blobs.getBlobInfos(request);
        assertThat(infos.keySet()).isEqualTo(blobs.getUploads(request).keySet());
        infos.values().forEach(uploaded::addAll);
        title = request.getParameter("title");
        response.sendRedirect("/view/" + uploaded.get(0).getBlobKey().getKeyString());
    }

    private static void part(ByteArrayOutputStream form, String disposition, byte[] content) throws IOException {
        form.write(("--" + BOUNDARY + "\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8));
        form.write(content);
        form.write("\r\n".getBytes(StandardCharsets.UTF_8));
    }

    private static HttpResponse<String> post(String url, byte[]... files) throws Exception {
        ByteArrayOutputStream form = new ByteArrayOutputStream();
        part(form, "name=\"title\"\r\nContent-Type: text/plain; charset=UTF-8", bytes("Größe"));
        for (int i = 0; i < files.length; i++) {
            String name = "name=\"file" + i + "\"; filename=\"" + i + ".txt\"\r\nContent-Type: text/plain";
            part(form, name, files[i]);
        }
        form.write(("--" + BOUNDARY + "--\r\n").getBytes(StandardCharsets.UTF_8));
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
                .POST(HttpRequest.BodyPublishers.ofByteArray(form.toByteArray()))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private BlobKey upload(byte[] file) throws Exception {
        HttpResponse<String> response = post(app.call(() -> blobs.createUploadUrl("/uploaded")), file);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(302);
        return uploaded.get(uploaded.size() - 1).getBlobKey();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The SDK's stream refuses to read nothing at the end of a buffer, which readAllBytes does. */
    private static byte[] content(InputStream stream) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        stream.transferTo(content);
        return content.toByteArray();
    }

    @Test
    void aFormBecomesBlobsAndTheAppIsCalled() throws Exception {
        HttpResponse<String> response =
                post(app.call(() -> blobs.createUploadUrl("/uploaded")), bytes("text"), new byte[0]);
        assertThat(response.statusCode()).isEqualTo(302);
        assertThat(response.headers().firstValue("Location").orElseThrow()).contains("/view/");
        assertThat(title).isEqualTo("Größe");
        assertThat(uploaded).extracting(BlobInfo::getSize).containsExactlyInAnyOrder(4L, 0L);
        BlobInfo text = uploaded.stream().filter(info -> info.getSize() == 4).findFirst().orElseThrow();
        assertThat(text.getFilename()).isEqualTo("0.txt");
        assertThat(text.getContentType()).isEqualTo("text/plain");
        app.run(() -> {
            BlobInfo stored = new BlobInfoFactory().loadBlobInfo(text.getBlobKey());
            assertThat(stored.getFilename()).isEqualTo(text.getFilename());
            assertThat(stored.getCreation()).isEqualTo(text.getCreation());
            // The callback has the digest in Base64, which the SDK does not decode.
            assertThat(bytes(stored.getMd5Hash())).isEqualTo(Base64.getDecoder().decode(text.getMd5Hash()));
            assertThat(blobs.fetchData(text.getBlobKey(), 1, 2)).isEqualTo(bytes("ex"));
        });
    }

    @Test
    void blobInfosAreListed() throws Exception {
        BlobKey key = upload(bytes("listed"));
        app.run(() -> {
            List<BlobKey> keys = new ArrayList<>();
            new BlobInfoFactory().queryBlobInfos().forEachRemaining(info -> keys.add(info.getBlobKey()));
            assertThat(keys).contains(key);
        });
    }

    @Test
    void largeBlobsAreStreams() throws Exception {
        byte[] large = new byte[3 << 20];
        new Random(1).nextBytes(large);
        BlobKey key = upload(large);
        app.run(() -> {
            try (InputStream stream = new BlobstoreInputStream(key)) {
                assertThat(content(stream)).isEqualTo(large);
            }
            try (InputStream stream = new BlobstoreInputStream(key, large.length - 3)) {
                assertThat(content(stream)).hasSize(3);
            }
        });
    }

    @Test
    void rangesBeyondTheEnd() throws Exception {
        BlobKey key = upload(bytes("0123456789"));
        app.run(() -> {
            assertThat(blobs.fetchData(key, 8, 20)).isEqualTo(bytes("89"));
            assertThat(blobs.fetchData(key, 20, 30)).isEmpty();
        });
    }

    @Test
    void limitsOfAnUpload() throws Exception {
        String url = app.call(() -> blobs.createUploadUrl("/uploaded", withMaxUploadSizeBytesPerBlob(4)));
        assertThat(post(url, bytes("12345")).statusCode()).isEqualTo(413);
        assertThat(uploaded).isEmpty();
    }

    @Test
    void deletions() throws Exception {
        BlobKey key = upload(bytes("a"));
        App.unique().run(() -> blobs.delete(key)); // of another app: no effect
        app.run(() -> {
            assertThat(blobs.fetchData(key, 0, 0)).isEqualTo(bytes("a"));
            blobs.delete(key);
            assertThatThrownBy(() -> blobs.fetchData(key, 0, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThat(new BlobInfoFactory().loadBlobInfo(key)).isNull();
            blobs.delete(key);
        });
    }

    @Test
    void aBlobAsAnImage() throws Exception {
        BlobKey key = upload(ImagesTest.png(20, 10, 0xff0000));
        app.run(() -> {
            ImagesService images = ImagesServiceFactory.getImagesService();
            Image resized = images.applyTransform(
                    ImagesServiceFactory.makeResize(10, 10), ImagesServiceFactory.makeImageFromBlob(key));
            assertThat(resized.getWidth()).isEqualTo(10);
            assertThat(resized.getHeight()).isEqualTo(5);
        });
    }

    private static HttpResponse<byte[]> get(String url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    @Test
    void imagesHaveServingUrls() throws Exception {
        ImagesService images = ImagesServiceFactory.getImagesService();
        BlobKey key = upload(ImagesTest.png(40, 20, 0x0000ff));
        String url = app.call(() -> images.getServingUrl(
                ServingUrlOptions.Builder.withBlobKey(key).imageSize(20).crop(false)));
        HttpResponse<byte[]> served = get(url);
        assertThat(served.statusCode()).isEqualTo(200);
        assertThat(ImageIO.read(new ByteArrayInputStream(served.body())).getWidth()).isEqualTo(20);
        app.run(() -> images.deleteServingUrl(key));
        assertThat(get(url).statusCode()).isEqualTo(404);
    }

    @Test
    void objectsOfCloudStorageAreBlobs() throws Exception {
        App own = App.unique();
        String storage = "http://" + App.server();
        String bucket = own.project() + ".appspot.com";
        HttpClient http = HttpClient.newHttpClient();
        for (Map.Entry<String, String> step : List.of(
                Map.entry("/storage/v1/b?project=" + own.project(), "{\"name\": \"" + bucket + "\"}"),
                Map.entry("/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=dir/x", "content"))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(storage + step.getKey()))
                    .POST(HttpRequest.BodyPublishers.ofString(step.getValue()))
                    .build();
            assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        }
        own.run(() -> {
            BlobKey key = blobs.createGsBlobKey("/gs/" + bucket + "/dir/x");
            assertThat(blobs.fetchData(key, 0, 6)).isEqualTo(bytes("content"));
        });
    }
}
