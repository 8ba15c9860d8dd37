package petrichor.apps.router.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * Netty's decoder of HTTP/1.1 requests, which additionally refuses what Netty accepts or repairs
 * and another server could read differently (RFC 9112, section 11.2): lines that continue the line
 * before (obs-fold), lines without CR, other separators than one space in the request line, a
 * Content-Length together with a Transfer-Encoding, chunks with anything around their size, and
 * chunks with much more framing than content.
 *
 * <p>A refused request is an {@link HttpRequest} or a {@link LastHttpContent} with a failed decoder
 * result; what follows on the connection is discarded. Confined to its event loop.
 */
public final class StrictRequestDecoder extends HttpRequestDecoder {
    /** A chunk of one byte has five bytes of framing. */
    private static final int FRAMING_PER_BODY_BYTE_MAX = 8;

    /** With a zero where a digit is. */
    private static final byte[] VERSION = {'H', 'T', 'T', 'P', '/', '0', '.', '0'};

    private final int lineBytesMax;
    private final int chunkFramingBytesMax;
    private final ChunkLines chunks = new ChunkLines();
    private Part part = Part.REQUEST_LINE;
    private long framedBytes;
    private long bodyBytes;

    private enum Part {
        REQUEST_LINE,
        FIELDS,
        BODY,
        REFUSED
    }

    /**
     * @param bodyPartBytesMax of one message of a body
     */
    public StrictRequestDecoder(MessageLimits limits, int bodyPartBytesMax) {
        super(
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(limits.lineBytesMax())
                        .setMaxHeaderSize(limits.headerBytesMax())
                        .setMaxChunkSize(bodyPartBytesMax)
                        .setAllowDuplicateContentLengths(false)
                        .setValidateHeaders(true)
                        .setStrictLineParsing(true));
        this.lineBytesMax = limits.lineBytesMax();
        this.chunkFramingBytesMax = limits.chunkFramingBytesMax();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        if (part == Part.REQUEST_LINE
                && lineEnd(in) < 0
                && !startsWithWhiteSpace(in)
                && in.readableBytes() <= lineBytesMax) {
            return;
        }
        String problem =
                switch (part) {
                    case REQUEST_LINE -> requestLineProblem(in);
                    case FIELDS -> fieldsProblem(in, in.readerIndex(), true);
                    case BODY -> chunks.problem(in);
                    case REFUSED -> "";
                };
        if (!problem.isEmpty()) {
            if (part == Part.BODY) {
                refuseBody(problem, out);
            } else {
                refuseHead(problem, out);
            }
        }
        if (part == Part.REFUSED) {
            in.skipBytes(in.readableBytes());
            return;
        }
        int from = in.readerIndex();
        int had = out.size();
        super.decode(ctx, in, out);
        advance(in.readerIndex() - from, had, out);
    }

    private void advance(int bytes, int had, List<Object> out) {
        if (part == Part.BODY) {
            framedBytes += bytes;
            chunks.read(bytes);
        } else if (part == Part.REQUEST_LINE && bytes > 0) {
            part = Part.FIELDS;
        }
        for (int i = had; i < out.size(); i++) {
            Object message = out.get(i);
            if (message instanceof HttpRequest request) {
                part = Part.BODY;
                chunks.start(HttpUtil.isTransferEncodingChunked(request));
                framedBytes = 0;
                bodyBytes = 0;
            } else if (message instanceof HttpContent content) {
                bodyBytes += content.content().readableBytes();
            }
            if (message instanceof LastHttpContent) {
                part = Part.REQUEST_LINE;
            }
        }
        long allowed = chunkFramingBytesMax + FRAMING_PER_BODY_BYTE_MAX * bodyBytes;
        if (part == Part.BODY && framedBytes - bodyBytes > allowed) {
            refuseBody("the chunks of the body have more framing than content", out);
        }
    }

    private void refuseBody(String problem, List<Object> out) {
        part = Part.REFUSED;
        LastHttpContent refused = new DefaultLastHttpContent();
        refused.setDecoderResult(DecoderResult.failure(new IllegalArgumentException(problem)));
        out.add(refused);
    }

    private void refuseHead(String problem, List<Object> out) {
        part = Part.REFUSED;
        HttpRequest refused =
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/bad-request");
        refused.setDecoderResult(DecoderResult.failure(new IllegalArgumentException(problem)));
        out.add(refused);
        out.add(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    /** One empty line before a request is allowed, for old clients. */
    private static int lineStart(ByteBuf in) {
        int from = in.readerIndex();
        boolean emptyLine =
                in.readableBytes() >= 2 && in.getByte(from) == '\r' && in.getByte(from + 1) == '\n';
        return emptyLine ? from + 2 : from;
    }

    /** The index of the LF of the request line; -1 if it has not arrived. */
    private static int lineEnd(ByteBuf in) {
        return in.indexOf(lineStart(in), in.writerIndex(), (byte) '\n');
    }

    private static boolean startsWithWhiteSpace(ByteBuf in) {
        int from = lineStart(in);
        boolean known = from < in.writerIndex();
        return known && in.getByte(from) <= ' ' && in.getByte(from) != '\r';
    }

    /** Empty if there is no problem, or if the line is longer than the limit. */
    private static String requestLineProblem(ByteBuf in) {
        int from = lineStart(in);
        int lf = lineEnd(in);
        if (from < in.writerIndex() && in.getByte(from) <= ' ') {
            return "the request starts with white space or a control character";
        }
        if (lf < 0) {
            return "";
        }
        int spaces = 0;
        for (int i = from; i < lf - 1; i++) {
            byte b = in.getByte(i);
            if (b == ' ') {
                spaces++;
            } else if ((b >= 0 && b < ' ') || b == 0x7f) {
                return "the request line contains a control character";
            }
        }
        if (in.getByte(lf - 1) != '\r') {
            return "a line of the request ends without CR";
        }
        return spaces == 2 && endsWithVersion(in, from, lf - 1)
                ? fieldsProblem(in, lf + 1, false)
                : "the request line needs a method, a target and HTTP/1.1, with one space between";
    }

    private static boolean endsWithVersion(ByteBuf in, int from, int to) {
        int start = to - VERSION.length;
        if (start <= from || in.getByte(start - 1) != ' ') {
            return false;
        }
        for (int i = 0; i < VERSION.length; i++) {
            byte b = in.getByte(start + i);
            boolean digit = VERSION[i] == '0' && b >= '0' && b <= '9';
            if (!digit && b != VERSION[i]) {
                return false;
            }
        }
        return true;
    }

    /** Checks the complete lines from the index to the end of the head. */
    static String fieldsProblem(ByteBuf in, int from, boolean afterField) {
        int start = from;
        boolean after = afterField;
        int end = in.writerIndex();
        while (start < end) {
            byte first = in.getByte(start);
            if (first == ' ' || first == '\t') {
                return after || start > from
                        ? "a field of the request continues on a second line"
                        : "a field of the request starts with white space";
            }
            int lf = in.indexOf(start, end, (byte) '\n');
            if (lf < 0) {
                return "";
            }
            if (lf == start || in.getByte(lf - 1) != '\r') {
                return "a line of the request ends without CR";
            }
            if (lf == start + 1) {
                return "";
            }
            start = lf + 1;
            after = true;
        }
        return "";
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException(
                "the request has both a Transfer-Encoding and a Content-Length");
    }
}
