package petrichor.frontends.datastore;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.frontends.http.SocketMessages;

/**
 * A request to turn an HTTP/1.1 connection into a WebSocket (RFC 6455). It is admitted and answered
 * like any other request; if its page accepts, the handlers of HTTP are replaced by those of
 * WebSockets.
 *
 * @param request without a body
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
record WebSocketUpgrade(FullHttpRequest request) {
    /** Clients send only control frames. */
    private static final int FRAME_BYTES_MAX = 1 << 10;

    static final Failure NOT_A_HANDSHAKE =
            new Failure(
                    ErrorCode.INVALID_ARGUMENT,
                    "this is not a WebSocket handshake of version 13 (RFC 6455)");

    private static final List<Class<? extends ChannelHandler>> OF_HTTP =
            List.of(
                    LingeringClose.class,
                    HttpAdmission.class,
                    BodyStreaming.class,
                    HttpContentDecompressor.class,
                    HttpIntake.class);

    /** Null if the request asks for nothing of the kind. */
    static @Nullable WebSocketUpgrade of(HttpRequest request) {
        HttpHeaders headers = request.headers();
        if (!request.method().equals(HttpMethod.GET)
                || !headers.containsValue(
                        HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)) {
            return null;
        }
        return new WebSocketUpgrade(
                new DefaultFullHttpRequest(
                        request.protocolVersion(),
                        request.method(),
                        request.uri(),
                        Unpooled.EMPTY_BUFFER,
                        headers.copy(),
                        EmptyHttpHeaders.INSTANCE));
    }

    /** The reason why the request is not a handshake; null if it is one. */
    @Nullable Failure problem() {
        HttpHeaders headers = request.headers();
        boolean complete =
                request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                        && headers.containsValue(
                                HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                        && headers.contains(HttpHeaderNames.SEC_WEBSOCKET_KEY);
        boolean known = "13".equals(headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION));
        return complete && known ? null : NOT_A_HANDSHAKE;
    }

    /**
     * Switches the protocol of the connection. On its event loop; the request must have no {@link
     * #problem}. If it fails, nothing has changed.
     *
     * @param http the handler of the connection, which is replaced
     * @param cancellation cancelled when the client disconnects
     */
    void accept(ChannelHandlerContext http, SocketMessages messages, Cancellation cancellation) {
        ChannelPipeline pipeline = http.pipeline();
        WebSocketServerHandshaker handshaker =
                new WebSocketServerHandshakerFactory(
                                request.uri(),
                                messages.protocol(),
                                WebSocketDecoderConfig.newBuilder()
                                        .maxFramePayloadLength(FRAME_BYTES_MAX)
                                        .build())
                        .newHandshaker(request);
        handshaker.handshake(http.channel(), request);
        for (Class<? extends ChannelHandler> handler : OF_HTTP) {
            pipeline.remove(handler);
        }
        pipeline.replace(http.handler(), "socket", new WebSocketConnection(messages, cancellation));
    }
}
