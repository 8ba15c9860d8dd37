package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of HTTP/2 that would become two requests, or another one, in HTTP/1.1. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write shows in the answer
final class Http2SmugglingTest {
    private static final EventLoopGroup LOOP = Transport.eventLoops(1);
    private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: demo.localhost\r\n\r\n";

    private final TestRouter router = TestRouter.open();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final TestInstance instance =
            router.instance(
                    "i1",
                    (request, in, out) -> {
                        bodies.add(new String(request.body(in), ISO_8859_1));
                        TestInstance.text(out, "seen");
                        return true;
                    });

    @AfterEach
    void close() {
        router.close();
    }

    @AfterAll
    static void stop() {
        LOOP.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static final class Answer extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<String> status = new CompletableFuture<>();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            switch (message) {
                case Http2HeadersFrame frame -> status.complete("" + frame.headers().status());
                case Http2DataFrame _ -> {}
                default -> {}
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            status.complete("closed");
        }
    }

    /** A connection that checks nothing of what it sends. */
    private static Channel connect(TestRouter to) throws InterruptedException {
        return new Bootstrap()
                .group(LOOP)
                .channel(Transport.clientChannel())
                .handler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel created) {
                                created.pipeline()
                                        .addLast(
                                                Http2FrameCodecBuilder.forClient()
                                                        .validateHeaders(false)
                                                        .build(),
                                                new Http2MultiplexHandler(
                                                        new ChannelInboundHandlerAdapter()));
                            }
                        })
                .connect(to.address())
                .sync()
                .channel();
    }

    /** The status, or how the stream ended, on a connection of its own. */
    private String send(Http2Headers headers, String... parts) throws Exception {
        Channel channel = connect(router);
        try {
            return send(channel, headers, parts);
        } finally {
            channel.close().sync();
        }
    }

    private static String send(Channel channel, Http2Headers headers, String... parts)
            throws Exception {
        Answer answer = new Answer();
        Channel stream =
                new Http2StreamChannelBootstrap(channel).handler(answer).open().sync().getNow();
        stream.write(new DefaultHttp2HeadersFrame(headers, parts.length == 0));
        for (int i = 0; i < parts.length; i++) {
            ByteBuf part = Unpooled.copiedBuffer(parts[i], ISO_8859_1);
            stream.write(new DefaultHttp2DataFrame(part, i == parts.length - 1));
        }
        stream.flush();
        return answer.status.get(30, TimeUnit.SECONDS);
    }

    private static Http2Headers headers(String method, String path) {
        return new DefaultHttp2Headers(false)
                .method(method)
                .path(path)
                .scheme("http")
                .authority("demo.localhost");
    }

    @Test
    void soundRequestsPass() throws Exception {
        assertThat(send(headers("GET", "/x"))).isEqualTo("200");
        assertThat(send(headers("POST", "/x").set("content-length", "4"), "bo", "dy"))
                .isEqualTo("200");
        assertThat(send(headers("POST", "/x"), "a", "b")).isEqualTo("200");
        assertThat(bodies).containsExactly("", "body", "ab");
    }

    @Test
    void contentLengthsThatDifferFromTheBodyAreRefused() throws Exception {
        assertThat(send(headers("POST", "/x").set("content-length", "0"), SMUGGLED))
                .isNotEqualTo("200");
        assertThat(send(headers("POST", "/x").set("content-length", "4"), SMUGGLED))
                .isNotEqualTo("200");
        assertThat(send(headers("POST", "/x").set("content-length", "100"), "short"))
                .isNotEqualTo("200");
        assertThat(
                        send(
                                headers("POST", "/x")
                                        .add("content-length", "4")
                                        .add("content-length", "5"),
                                "body"))
                .isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").set("content-length", "10"))).isNotEqualTo("200");
        assertNothingSmuggled();
    }

    @Test
    void framingOfHttp1IsRefused() throws Exception {
        String chunks = "0\r\n\r\n" + SMUGGLED;
        assertThat(send(headers("POST", "/x").set("transfer-encoding", "chunked"), chunks))
                .isNotEqualTo("200");
        assertThat(
                        send(
                                headers("POST", "/x")
                                        .set("transfer-encoding", "chunked")
                                        .set("content-length", "" + chunks.length()),
                                chunks))
                .isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").set("connection", "close"))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").set("upgrade", "websocket"))).isNotEqualTo("200");
        assertNothingSmuggled();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\r\nX-Injected: 1",
                "a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: demo.localhost\r\n\r\n",
                "a\nb",
                "a\rb",
                "a\u0000b",
                "a\u0001b",
                "a\u007fb"
            })
    void linesInsideAValueAreRefused(String value) throws Exception {
        assertThat(send(headers("GET", "/x").set("x-value", value))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/x" + value))).isNotEqualTo("200");
        assertThat(send(headers("GET" + value, "/x"))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").authority("demo.localhost" + value)))
                .isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").set("x" + value, "y"))).isNotEqualTo("200");
        assertNothingSmuggled();
    }

    @Test
    void invalidTargetsNamesAndMethodsAreRefused() throws Exception {
        assertThat(send(headers("GET", "/a b"))).isNotEqualTo("200");
        assertThat(send(headers("GET", "x"))).isNotEqualTo("200");
        assertThat(send(headers("GET", ""))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/_ah/start"))).isEqualTo("404");
        assertThat(send(headers("GET", "http://other.localhost/"))).isNotEqualTo("200");
        assertThat(send(headers("CONNECT", "/x"))).isNotEqualTo("200");
        assertThat(send(headers("G T", "/x"))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").set("X-Upper", "1"))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").set("x y", "1"))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").set("x:y", "1"))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").set("host", "other.localhost"))).isNotEqualTo("200");
        assertThat(send(headers("GET", "/x").authority("a@demo.localhost"))).isNotEqualTo("200");
        assertNothingSmuggled();
    }

    @Test
    void trustedFieldsDoNotPass() throws Exception {
        assertThat(
                        send(
                                headers("GET", "/x")
                                        .set("x-appengine-user-id", "forged")
                                        .set("x-http2-stream-id", "forged")
                                        .set("x-forwarded-for", "forged")))
                .isEqualTo("200");
        assertThat(instance.last().headers())
                .allSatisfy((_, value) -> assertThat(value).doesNotContain("forged"));
    }

    @Test
    void refusedRequestsLeaveNoMemoryBehind() throws Exception {
        Channel channel = connect(router);
        try {
            assertThat(send(channel, headers("GET", "/x"))).isEqualTo("200");
            long before = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
            for (int i = 0; i < 150; i++) {
                assertThat(send(channel, headers("G T", "/x"))).isEqualTo("closed");
            }
            assertThat(send(channel, headers("GET", "/x"))).isEqualTo("200");
            TestRouter.waitFor(
                    () -> PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() < before + 16_000);
        } finally {
            channel.close().sync();
        }
    }

    @Test
    void aConnectionEndsAfterItsNumberOfRequests() throws Exception {
        try (TestRouter limited =
                TestRouter.limited(
                        limits ->
                                new RouterLimits(
                                        limits.requests(),
                                        limits.responses(),
                                        new RouterLimits.Connections(
                                                100,
                                                3,
                                                10,
                                                Duration.ofMinutes(5),
                                                Duration.ofMinutes(5),
                                                64 << 10),
                                        limits.concurrency(),
                                        limits.instances(),
                                        limits.files()))) {
            limited.add(TestInstance.named("i2"));
            Channel channel = connect(limited);
            for (int i = 0; i < 3; i++) {
                assertThat(channel.isActive()).isTrue();
                assertThat(send(channel, headers("GET", "/x"))).isEqualTo("200");
            }
            assertThat(channel.closeFuture().await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private void assertNothingSmuggled() {
        assertThat(instance.requests())
                .noneMatch(request -> request.line().contains("smuggled"))
                .noneMatch(request -> request.headers().containsKey("x-injected"));
    }
}
