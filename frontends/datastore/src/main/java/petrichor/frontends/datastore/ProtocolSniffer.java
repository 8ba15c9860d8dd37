package petrichor.frontends.datastore;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalProtocolNegotiationEvent;
import io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.grpc.netty.InternalWriteBufferingAndExceptionHandlerUtils;
import io.grpc.netty.ProtocolNegotiationEvent;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects the protocol of a connection by its first bytes. HTTP/2 begins with {@code PRI *
 * HTTP/2.0}, and HTTP/1.1 has no such method, so three bytes are sufficient. With TLS the decision
 * is made on the decrypted bytes; a protocol chosen by ALPN is not checked again.
 *
 * <p>gRPC's server sees this class as one of its protocol negotiators. An HTTP/1.1 connection never
 * reports to gRPC that it is ready; it only takes part in its shutdown.
 *
 * <p>Also enforces the connection limits: closes connections over the limit, and those that send
 * nothing in time.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close leaves nothing to do
final class ProtocolSniffer implements InternalProtocolNegotiator.ProtocolNegotiator {
    private static final AsciiString SCHEME_CLEAR = AsciiString.cached("http");
    private static final AsciiString SCHEME_TLS = AsciiString.cached("https");
    private static final byte[] PREFACE = {'P', 'R', 'I'};

    private final FrontEndSettings.Limits limits;
    private final TlsSelection tls;
    private final Supplier<HttpConnection> http;
    private final AtomicInteger connections = new AtomicInteger();

    ProtocolSniffer(
            FrontEndSettings.Limits limits, TlsSelection tls, Supplier<HttpConnection> http) {
        this.limits = limits;
        this.tls = tls;
        this.http = http;
    }

    int connections() {
        return connections.get();
    }

    @Override
    public AsciiString scheme() {
        return tls.clients().present() ? SCHEME_TLS : SCHEME_CLEAR;
    }

    @Override
    public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpc) {
        return new FirstBytes(grpc);
    }

    @Override
    public void close() {}

    private final class FirstBytes extends ByteToMessageDecoder {
        private final GrpcHttp2ConnectionHandler grpc;
        private @Nullable Future<?> silence;

        FirstBytes(GrpcHttp2ConnectionHandler grpc) {
            this.grpc = grpc;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            int open = connections.incrementAndGet();
            ctx.channel().closeFuture().addListener(_ -> connections.decrementAndGet());
            if (open > limits.connectionsMax()) {
                ctx.close();
                return;
            }
            tls.handler(ctx)
                    .ifPresent(handler -> ctx.pipeline().addBefore(ctx.name(), null, handler));
            Duration timeout = limits.firstBytesWithin();
            silence =
                    ctx.executor()
                            .schedule(() -> ctx.close(), timeout.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            int seen = Math.min(in.readableBytes(), PREFACE.length);
            for (int i = 0; i < seen; i++) {
                if (in.getByte(in.readerIndex() + i) != PREFACE[i]) {
                    speakHttp1(ctx);
                    return;
                }
            }
            if (seen == PREFACE.length) {
                speakGrpc(ctx);
            }
        }

        private void speakGrpc(ChannelHandlerContext ctx) {
            EmptyFrameGuard.install(grpc);
            ChannelHandler handover = InternalProtocolNegotiators.grpcNegotiationHandler(grpc);
            ctx.pipeline().addAfter(ctx.name(), null, handover);
            Attributes.Builder attributes =
                    Attributes.newBuilder()
                            .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, ctx.channel().remoteAddress())
                            .set(Grpc.TRANSPORT_ATTR_LOCAL_ADDR, ctx.channel().localAddress());
            SslHandler encrypted = ctx.pipeline().get(SslHandler.class);
            if (encrypted != null) {
                attributes.set(Grpc.TRANSPORT_ATTR_SSL_SESSION, encrypted.engine().getSession());
            }
            ctx.fireUserEventTriggered(
                    InternalProtocolNegotiationEvent.withAttributes(
                            InternalProtocolNegotiationEvent.getDefault(), attributes.build()));
            ctx.pipeline().remove(this); // passes on the bytes read so far
        }

        private void speakHttp1(ChannelHandlerContext ctx) {
            http.get().install(ctx.pipeline(), ctx.name());
            ctx.pipeline().remove(this);
            InternalWriteBufferingAndExceptionHandlerUtils.writeBufferingAndRemove(ctx.channel());
        }

        @Override
        protected void handlerRemoved0(ChannelHandlerContext ctx) {
            if (silence != null) {
                silence.cancel(false);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
            // gRPC's start event precedes the first bytes; it is fired again after detection
            if (!(event instanceof ProtocolNegotiationEvent)) {
                super.userEventTriggered(ctx, event);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close(); // a failed TLS handshake or a reset: the client has disconnected
        }
    }
}
