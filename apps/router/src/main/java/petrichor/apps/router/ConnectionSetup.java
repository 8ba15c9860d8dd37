package petrichor.apps.router;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SniHandler;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.Http2HeadGuard;
import petrichor.apps.router.http.StrictRequestDecoder;
import petrichor.apps.router.tls.RouterCertificates;

/**
 * Prepares a client's connection. With TLS, the host chooses the certificate and ALPN the protocol;
 * without it, the first bytes show the protocol: HTTP/2 starts with {@code PRI}, which is not a
 * method of HTTP/1.1.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close leaves nothing to do
final class ConnectionSetup extends ChannelInitializer<Channel> {
    private static final byte[] PREFACE = {'P', 'R', 'I'};

    /** The type of the first record of TLS. */
    private static final byte TLS_HANDSHAKE = 22;

    private final RouterCore core;
    private final Function<Channel, Lane> lanes;
    private final OpenConnections open;
    private final @Nullable RouterCertificates certificates;

    /**
     * @param certificates null for connections without TLS
     */
    ConnectionSetup(
            RouterCore core,
            Function<Channel, Lane> lanes,
            OpenConnections open,
            @Nullable RouterCertificates certificates) {
        this.core = core;
        this.lanes = lanes;
        this.open = open;
        this.certificates = certificates;
    }

    @Override
    protected void initChannel(Channel channel) {
        int connections = core.metrics().connected();
        channel.closeFuture().addListener(_ -> core.metrics().disconnected());
        if (connections > core.limits().connections().connectionsMax()) {
            core.metrics().refusedConnection();
            channel.close();
            return;
        }
        open.add(channel, channel::close);
        ChannelPipeline pipeline = channel.pipeline();
        RouterCertificates tls = certificates;
        if (tls == null) {
            pipeline.addLast(new FirstBytes());
        } else {
            pipeline.addLast(new SniHandler(tls::context), new Negotiated());
        }
    }

    private void http1(Channel channel, ClientConnection.Security security) {
        ClientResponseEncoder encoder = new ClientResponseEncoder();
        ClientConnection connection =
                new ClientConnection(
                        core, lanes.apply(channel), new ClientConnection.Http1(encoder, security));
        open.add(channel, connection::shutDown);
        channel.pipeline()
                .addLast(
                        new StrictRequestDecoder(
                                core.limits().requests(),
                                core.limits().connections().bufferBytes()),
                        encoder,
                        connection.events());
    }

    private void http2(Channel channel, boolean secure) {
        Lane lane = lanes.apply(channel);
        RouterLimits.Connections limits = core.limits().connections();
        Http2Connection connection = new Http2Connection(lane, limits);
        open.add(channel, connection::shutDown);
        Http2Settings settings =
                Http2Settings.defaultSettings()
                        .maxConcurrentStreams(limits.streamsMax())
                        .maxHeaderListSize(core.limits().requests().headerBytesMax());
        ChannelInitializer<Channel> streams =
                new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        connection.opened(stream);
                        ClientConnection exchange =
                                new ClientConnection(
                                        core, lane, new ClientConnection.Http2Stream(secure));
                        stream.pipeline()
                                .addLast(
                                        new Http2HeadGuard(),
                                        new Http2StreamFrameToHttpObjectCodec(true),
                                        exchange.events());
                    }
                };
        channel.pipeline()
                .addLast(
                        new LingeringClose(secure),
                        Http2FrameCodecBuilder.forServer()
                                .initialSettings(settings)
                                .validateHeaders(true)
                                .build(),
                        connection.events(),
                        new Http2MultiplexHandler(streams));
    }

    /** Chooses the protocol of a connection without TLS. */
    private final class FirstBytes extends ByteToMessageDecoder {
        private @Nullable Future<?> silence;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            long within = core.limits().connections().idleMax().toMillis();
            silence = ctx.executor().schedule(() -> ctx.close(), within, TimeUnit.MILLISECONDS);
        }

        @Override
        protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            int seen = Math.min(in.readableBytes(), PREFACE.length);
            for (int i = 0; i < seen; i++) {
                if (in.getByte(in.readerIndex() + i) != PREFACE[i]) {
                    if (!isServer(ctx, in)) {
                        http1(ctx.channel(), ClientConnection.Security.CLEAR);
                    }
                    ctx.pipeline().remove(this); // passes on the bytes read so far
                    return;
                }
            }
            if (seen == PREFACE.length) {
                http2(ctx.channel(), false);
                ctx.pipeline().remove(this);
            }
        }

        /** Whether another server of the cluster starts TLS, which it must prove. */
        private boolean isServer(ChannelHandlerContext ctx, ByteBuf in) {
            PeerAccess.Tls tls = core.settings().peers().flatMap(PeerAccess::tls).orElse(null);
            if (tls == null || in.getByte(in.readerIndex()) != TLS_HANDSHAKE) {
                return false;
            }
            ctx.pipeline().addLast(tls.accepting().get().newHandler(ctx.alloc()));
            http1(ctx.channel(), ClientConnection.Security.SERVER);
            return true;
        }

        @Override
        protected void handlerRemoved0(ChannelHandlerContext ctx) {
            if (silence != null) {
                silence.cancel(false);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    /** Installs the protocol that ALPN has chosen. */
    private final class Negotiated extends ApplicationProtocolNegotiationHandler {
        Negotiated() {
            super(ApplicationProtocolNames.HTTP_1_1);
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                http2(ctx.channel(), true);
            } else {
                http1(ctx.channel(), ClientConnection.Security.TLS);
            }
        }

        @Override
        protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
