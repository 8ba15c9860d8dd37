package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uploads to a deployed app, blobs that it serves, and mail that it receives. */
class DeployedServicesTest {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
    private static final Pattern KEY = Pattern.compile("blob-key=\"?([^\";\\s]+)");

    /** App Engine limits the bodies of requests to 32 MB, but not uploads. */
    private static final int LARGE_BYTES = 33 << 20;

    @TempDir private Path folder;
    private HostingServer server;
    private int router;
    private int mailPort;

    @BeforeEach
    void deploy() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            mailPort = free.getLocalPort();
        }
        server =
                HostingServer.in(
                        folder,
                        Map.of(
                                "PETRICHOR_MAIL__INBOUND_PORT",
                                String.valueOf(mailPort),
                                "PETRICHOR_MAIL__INBOUND_DOMAINS",
                                "apps.test"));
        JsonObject deployed =
                server.deploy("project=demo&version=v1", files()).getAsJsonObject("deployed");
        assertThat(deployed).isNotNull();
        router = URI.create(deployed.get("url").getAsString()).getPort();
    }

    @AfterEach
    void close() {
        server.close();
    }

    static Map<String, String> files() throws IOException {
        try (InputStream source =
                Objects.requireNonNull(
                        DeployedServicesTest.class.getResourceAsStream("services.py"))) {
            return Map.of(
                    "app.yaml",
                    """
                    runtime: python
                    app_engine_apis: true
                    entrypoint: python main.py
                    inbound_services:
                    - mail
                    - xmpp_message
                    handlers:
                    - url: /members/.*
                      script: auto
                      login: required
                    - url: /.*
                      script: auto
                    """,
                    "main.py",
                    new String(source.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private HttpRequest.Builder at(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + router + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The URL that the app has created for a form, whose path it gets. */
    private URI uploadUrl(String success) throws Exception {
        HttpResponse<String> answer = send(at("/url?" + success));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return URI.create(answer.body());
    }

    private static HttpResponse<String> upload(URI url, byte[] content, String... headers)
            throws Exception {
        byte[] head =
                """
                --b\r
                Content-Disposition: form-data; name="title"\r
                \r
                a title\r
                --b\r
                Content-Disposition: form-data; name="file"; filename="a.txt"\r
                Content-Type: text/x-mine\r
                \r
                """
                        .getBytes(StandardCharsets.UTF_8);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(url)
                        .header("Content-Type", "multipart/form-data; boundary=b")
                        .POST(
                                HttpRequest.BodyPublishers.concat(
                                        HttpRequest.BodyPublishers.ofByteArray(head),
                                        HttpRequest.BodyPublishers.ofByteArray(content),
                                        HttpRequest.BodyPublishers.ofString("\r\n--b--\r\n")));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    private static String key(HttpResponse<String> uploaded) {
        assertThat(uploaded.statusCode()).as(uploaded.body()).isEqualTo(302);
        Matcher key = KEY.matcher(uploaded.body());
        assertThat(key.find()).as(uploaded.body()).isTrue();
        return key.group(1);
    }

    @Test
    void aFormReachesTheAppOnItsOwnHost() throws Exception {
        URI url = uploadUrl("/uploaded");
        assertThat(url.getAuthority()).isEqualTo("127.0.0.1:" + router);
        HttpResponse<String> answer = upload(url, "content".getBytes(StandardCharsets.UTF_8));
        assertThat(answer.body())
                .startsWith("/uploaded 127.0.0.1:" + router + " upload=true user=None\n")
                .contains("a title")
                .doesNotContain("content\r\n");
        assertThat(answer.headers().firstValue("location"))
                .contains("http://127.0.0.1:" + router + "/done");
        assertThat(upload(url, new byte[1]).statusCode()).as("a second time").isEqualTo(404);
    }

    /** The API's port has no host of an app. */
    @Test
    void anUploadAtTheServerReachesTheAppToo() throws Exception {
        URI url = URI.create("http://127.0.0.1:" + server.port() + uploadUrl("/x").getPath());
        HttpResponse<String> answer = upload(url, new byte[1], "X-Forwarded-Host", "a b.example");
        assertThat(answer.body()).startsWith("/x demo.localhost:" + router + " upload=true");
    }

    @Test
    void theHandlerOfAFormDecidesWhoMayUpload() throws Exception {
        HttpResponse<String> anonymous = upload(uploadUrl("/members/x"), new byte[1]);
        assertThat(anonymous.statusCode()).isEqualTo(302);
        assertThat(anonymous.headers().firstValue("location").orElse("")).contains("/_ah/login");
        String cookie = signIn();
        HttpResponse<String> member =
                upload(uploadUrl("/members/x"), new byte[1], "Cookie", cookie);
        assertThat(member.body()).contains("upload=true user=ann@example.com");
    }

    /** The cookie of the session of a new account. */
    private String signIn() throws Exception {
        String account =
                "{\"action\": \"add\", \"email\": \"ann@example.com\", \"password\": \"correct"
                        + " horse\"}";
        HttpResponse<String> added =
                server.send(
                        server.request("/petrichor/v1/users")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(account)));
        assertThat(added.statusCode()).as(added.body()).isEqualTo(200);
        HttpResponse<String> form = send(at("/_ah/login"));
        String email = URLEncoder.encode("ann@example.com", StandardCharsets.UTF_8);
        StringBuilder fields = new StringBuilder("password=correct+horse&email=" + email);
        Matcher hidden =
                Pattern.compile("type=\"hidden\" name=\"(\\w+)\" value=\"([^\"]*)\"")
                        .matcher(form.body());
        while (hidden.find()) {
            fields.append('&').append(hidden.group(1)).append('=').append(hidden.group(2));
        }
        HttpRequest.Builder login =
                at("/_ah/login")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(fields.toString()));
        form.headers()
                .allValues("set-cookie")
                .forEach(cookie -> login.header("Cookie", cookie.split(";", 2)[0]));
        HttpResponse<String> signedIn = send(login);
        return signedIn.headers().allValues("set-cookie").stream()
                .map(cookie -> cookie.split(";", 2)[0])
                .filter(cookie -> cookie.startsWith("petrichor-session="))
                .findFirst()
                .orElseThrow(() -> new AssertionError(signedIn.body()));
    }

    @Test
    void theRouterServesBlobs() throws Exception {
        String key = key(upload(uploadUrl("/x"), "0123456789".getBytes(StandardCharsets.UTF_8)));
        HttpResponse<String> all = send(at("/blob?" + key));
        assertThat(all.body()).isEqualTo("0123456789");
        assertThat(all.headers().firstValue("content-type")).contains("text/x-mine");
        assertThat(all.headers().firstValue("x-app")).contains("kept");
        assertThat(all.headers().map()).doesNotContainKeys("x-appengine-blobkey", "cache-control");
        HttpResponse<String> part = send(at("/blob?" + key).header("Range", "bytes=2-4"));
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo("234");
        assertThat(part.headers().firstValue("content-range")).contains("bytes 2-4/10");
        assertThat(send(at("/blob?" + key + "&bytes=8-")).body()).isEqualTo("89");
        assertThat(send(at("/blob?" + key + "&bytes=10-")).statusCode()).isEqualTo(416);
        HttpResponse<String> head =
                send(at("/blob?" + key).method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.headers().firstValue("content-length")).contains("10");
        assertThat(send(at("/blob?missing")).statusCode()).isEqualTo(404);
        assertThat(send(at("/_ah/blob").header("X-AppEngine-BlobKey", key)).statusCode())
                .as("for the platform only")
                .isEqualTo(404);
        assertThat(
                        send(server.request("/_ah/blob").header("X-AppEngine-BlobKey", key))
                                .statusCode())
                .as("without a ticket")
                .isEqualTo(403);
    }

    @Test
    void aBlobBelongsToOneApp() throws Exception {
        String key = key(upload(uploadUrl("/x"), new byte[3]));
        assertThat(server.deploy("project=other&version=v1", files()).has("deployed")).isTrue();
        HttpClient proxied =
                HttpClient.newBuilder()
                        .proxy(
                                ProxySelector.of(
                                        new InetSocketAddress(
                                                InetAddress.getLoopbackAddress(), router)))
                        .build();
        for (String app : new String[] {"demo", "other"}) {
            URI url = URI.create("http://" + app + ".localhost:" + router + "/blob?" + key);
            assertThat(
                            proxied.send(
                                            HttpRequest.newBuilder(url).build(),
                                            HttpResponse.BodyHandlers.discarding())
                                    .statusCode())
                    .as(app)
                    .isEqualTo(app.equals("demo") ? 200 : 404);
        }
    }

    @Test
    void anUploadMayBeLargerThanARequest() throws Exception {
        byte[] large = new byte[LARGE_BYTES];
        String key = key(upload(uploadUrl("/x"), large));
        HttpResponse<byte[]> blob =
                HTTP.send(at("/blob?" + key).build(), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(blob.body()).hasSize(LARGE_BYTES);
        HttpRequest.Builder direct = at("/x").POST(HttpRequest.BodyPublishers.ofByteArray(large));
        try {
            assertThat(send(direct).statusCode()).isEqualTo(413);
        } catch (IOException closed) {
            // The router has answered and closed the connection before the body was sent.
        }
    }

    @Test
    void mailReachesTheApp() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), mailPort);
                BufferedReader in =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.US_ASCII));
                OutputStream out = socket.getOutputStream()) {
            String last = in.readLine();
            for (String line :
                    new String[] {
                        "HELO test",
                        "MAIL FROM:<ann@example.com>",
                        "RCPT TO:<hello@demo.apps.test>",
                        "DATA",
                        "Subject: greetings\r\n\r\nhello\r\n."
                    }) {
                out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
                out.flush();
                last = in.readLine();
            }
            assertThat(last).startsWith("250");
        }
        String log = server.awaitLog("demo", "post /_ah/mail/hello@demo.apps.test");
        assertThat(log).contains("Subject: greetings");
    }
}
