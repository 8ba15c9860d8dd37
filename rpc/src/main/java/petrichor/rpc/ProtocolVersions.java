package petrichor.rpc;

import io.grpc.Metadata;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The versions of the protocol between servers that a server supports. The caller offers its range
 * with each stream; the other server chooses the highest common version, or refuses the stream
 * before it reads a message. A release supports the version of the previous release, so that
 * servers can be upgraded one at a time.
 *
 * <p>Version 1: the messages of {@code peers.proto} and {@code versions.proto}.
 */
record ProtocolVersions(int min, int max) {
    /** The versions of this release. */
    static final ProtocolVersions SUPPORTED = new ProtocolVersions(1, 1);

    /** In the caller's headers: the range, such as {@code 1-2}. */
    static final Metadata.Key<String> OFFERED =
            Metadata.Key.of("petrichor-rpc-versions", Metadata.ASCII_STRING_MARSHALLER);

    /** In the headers of the response: the version of this stream. */
    static final Metadata.Key<String> CHOSEN =
            Metadata.Key.of("petrichor-rpc-version", Metadata.ASCII_STRING_MARSHALLER);

    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})-(\\d{1,6})");

    ProtocolVersions {
        if (min < 1 || max < min) {
            throw new IllegalArgumentException("no range of versions: " + min + "-" + max);
        }
    }

    /** The version to use with a caller that offers this; empty if there is none. */
    OptionalInt common(@Nullable String offered) {
        Matcher range = RANGE.matcher(offered == null ? "" : offered);
        if (!range.matches()) {
            return OptionalInt.empty();
        }
        int highest = Math.min(max, Integer.parseInt(range.group(2)));
        return highest >= Math.max(min, Integer.parseInt(range.group(1)))
                ? OptionalInt.of(highest)
                : OptionalInt.empty();
    }

    /** Whether the other server chose a version that was offered. */
    boolean include(@Nullable String chosen) {
        return common(chosen + "-" + chosen).isPresent();
    }

    /** Why a caller is refused. */
    String refusal(@Nullable String offered) {
        return "this server speaks versions "
                + this
                + " of the protocol between servers, the caller "
                + (offered == null ? "none of them" : offered)
                + "; upgrade a cluster one release at a time";
    }

    @Override
    public String toString() {
        return min + "-" + max;
    }
}
