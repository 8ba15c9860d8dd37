package petrichor.frontends.datastore;

import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;

/**
 * Ends connections that send DATA frames without content one after the other: they cost time and
 * never complete a request. Netty does the same, but not for gRPC's server; for empty CONTINUATION
 * frames Netty does it itself. Confined to its event loop.
 */
final class EmptyFrameGuard extends Http2FrameListenerDecorator {
    /** Clients send at most one, at the end of a request. */
    private static final int IN_A_ROW_MAX = 100;

    private int inARow;

    private EmptyFrameGuard(Http2FrameListener below) {
        super(below);
    }

    /** Call before the connection reads frames. */
    static void install(GrpcHttp2ConnectionHandler connection) {
        connection
                .decoder()
                .frameListener(new EmptyFrameGuard(connection.decoder().frameListener()));
    }

    @Override
    public int onDataRead(
            ChannelHandlerContext ctx, int stream, ByteBuf data, int padding, boolean endOfStream)
            throws Http2Exception {
        if (endOfStream || data.isReadable()) {
            inARow = 0;
        } else if (++inARow > IN_A_ROW_MAX) {
            throw Http2Exception.connectionError(
                    Http2Error.ENHANCE_YOUR_CALM, "more than %d empty DATA frames", IN_A_ROW_MAX);
        }
        return super.onDataRead(ctx, stream, data, padding, endOfStream);
    }
}
