package petrichor.bench.apps;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The requests of users to the only app of a server. Thread-safe. */
final class SeedApp implements AutoCloseable {
    /** After which seed 000's front end gave up. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(60);

    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(30);
    private static final String PASSWORD = "correct horse";
    private static final String EMAIL = "user@example.com";
    private static final Pattern SIGN_IN = Pattern.compile("<a href=\"([^\"]+)\">Sign in");
    private static final Pattern HIDDEN =
            Pattern.compile("type=\"hidden\" name=\"(\\w+)\" value=\"([^\"]*)\"");

    /** Each is an entity group, whose commits are serial. */
    private static final int BOOKS = 20;

    private static final int MILLION = 1_000_000;
    private static final int ITEMS = 1_000;
    private static final double GETS = 0.8;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int FOUND = 302;

    private final HostedApps apps;
    private final Map<String, String> cookies = new ConcurrentHashMap<>();
    private final HttpClient client;

    SeedApp(HostedApps apps) {
        this.apps = apps;
        this.client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_WITHIN)
                        .build();
    }

    /** Bytes of the expected answer to the next request of a user, -1 of another one. */
    long visit(SeedLoad load, int user, int families) throws Exception {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int number = random.nextInt(MILLION);
        int family = random.nextInt(Math.max(1, families));
        return switch (load) {
            case GUESTBOOK -> {
                String book = "/book-" + user % BOOKS;
                yield random.nextBoolean()
                        ? get(book)
                        : post(book, Map.of("text", "greeting " + number), FOUND);
            }
            case SHELL ->
                    post(
                            "/run",
                            Map.of(
                                    "session",
                                    "%032x".formatted(user),
                                    "statements",
                                    "a = 5; b = 2; a + b;"),
                            OK);
            case SIEVES -> get("/");
            case KINDLESS -> get("/kindless/" + family);
            case ANCESTOR -> get("/ancestor/" + family);
            case SINGLE -> get("/single/" + number);
            case COMPOSITE -> get("/composite/" + number);
            case MIX ->
                    random.nextDouble() < GETS
                            ? get("/item/" + (1 + random.nextInt(ITEMS)))
                            : putItems(1);
        };
    }

    /** A parent with its 100 children. */
    boolean putFamily(int number) throws Exception {
        return post("/family/" + number, Map.of(), NO_CONTENT) >= 0;
    }

    long putItems(int count) throws Exception {
        return post("/items/" + count, Map.of(), NO_CONTENT);
    }

    /** Those that the mix reads. */
    void putKnownItems(int users) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < users; i++) {
                var _ =
                        threads.submit(
                                () -> {
                                    int item = next.incrementAndGet();
                                    for (; item <= ITEMS; item = next.incrementAndGet()) {
                                        post("/item/" + item, Map.of(), NO_CONTENT);
                                    }
                                    return true;
                                });
            }
        }
    }

    /** As an account of the platform; its cookies are those of all users. */
    void signIn(String page) throws IOException, InterruptedException {
        apps.addUser(EMAIL, PASSWORD);
        URI book = apps.router().resolve(page);
        String link = only(SIGN_IN, text(HttpRequest.newBuilder(book)));
        URI form = book.resolve(link.replace("&amp;", "&"));
        Map<String, String> fields =
                HIDDEN.matcher(text(HttpRequest.newBuilder(form)))
                        .results()
                        .collect(
                                Collectors.toMap(
                                        found -> found.group(1),
                                        found -> found.group(2).replace("&amp;", "&")));
        fields.put("email", EMAIL);
        fields.put("password", PASSWORD);
        String _ = text(form(form.resolve("/_ah/login"), fields));
        String signedIn = text(HttpRequest.newBuilder(book));
        if (SIGN_IN.matcher(signedIn).find()) {
            throw new IOException("the account is not signed in: " + signedIn);
        }
    }

    /** Java's own cookies are in the form of RFC 2965, which few servers understand. */
    private String text(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(built(request), BodyHandlers.ofString());
        for (String cookie : answer.headers().allValues("set-cookie")) {
            String pair = cookie.split(";", 2)[0];
            cookies.put(pair.split("=", 2)[0], pair);
        }
        return answer.body();
    }

    private HttpRequest built(HttpRequest.Builder request) {
        String sent = String.join("; ", cookies.values());
        return (sent.isEmpty() ? request : request.header("Cookie", sent))
                .timeout(ANSWER_WITHIN)
                .build();
    }

    private static String only(Pattern pattern, String text) throws IOException {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IOException("no " + pattern + " in " + text);
        }
        return matcher.group(1);
    }

    private long get(String path) throws IOException, InterruptedException {
        return bytes(HttpRequest.newBuilder(apps.router().resolve(path)), OK);
    }

    private long post(String path, Map<String, String> fields, int expected)
            throws IOException, InterruptedException {
        return bytes(form(apps.router().resolve(path), fields), expected);
    }

    private static HttpRequest.Builder form(URI page, Map<String, String> fields) {
        String body =
                fields.entrySet().stream()
                        .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                        .collect(Collectors.joining("&"));
        return HttpRequest.newBuilder(page)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private long bytes(HttpRequest.Builder request, int expected)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = client.send(built(request), BodyHandlers.ofByteArray());
        return answer.statusCode() == expected ? answer.body().length : -1;
    }

    /** Sources of the app of these loads. */
    static Path sources(SeedLoad load, Path examples, Path folder) throws IOException {
        String name = load.displayName();
        return switch (load) {
            case GUESTBOOK ->
                    MeasuredApps.scaled(
                            examples.resolve("guestbook/appengine"), folder.resolve(name));
            case SHELL, SIEVES -> MeasuredApps.scaled(examples.resolve(name), folder.resolve(name));
            case KINDLESS, ANCESTOR, SINGLE, COMPOSITE, MIX ->
                    MeasuredApps.queries(folder.resolve("queries"));
        };
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
