package petrichor.frontends.datastore;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.Role;

/**
 * The parts of a request needed for routing, authorization and scheduling. Of an encoded request
 * only small fields are parsed; keys, mutations and queries are counted and skipped, so that a
 * server that forwards a request does not parse it.
 *
 * @param role that the request needs
 * @param shortRead whether it reads the newest state of a few entities
 */
record RequestHead(
        String project,
        String databaseId,
        Role role,
        DatastoreMethod.Lane lane,
        boolean shortRead) {
    /** Maximum size of encoded fields to keep; longer ones are left to the parser. */
    private static final int KEPT_BYTES_MAX = 16 << 10;

    private static final int WIRE_TYPE_BITS = 3;
    private static final int WIRE_TYPE_MASK = (1 << WIRE_TYPE_BITS) - 1;
    private static final int VARINT = 0;
    private static final int FIXED_64 = 1;
    private static final int DELIMITED = 2;
    private static final int FIXED_32 = 5;

    /** Longer encodings of a 32-bit number are legal, but no client library sends them. */
    private static final int VARINT_BYTES_MAX = 5;

    private static final int VARINT_64_BYTES_MAX = 10;
    private static final long UINT_32_MAX = 0xFFFF_FFFFL;

    static RequestHead of(DatastoreMethod method, Message message) {
        return of(method, message, method.elements(message));
    }

    private static RequestHead of(DatastoreMethod method, Message fields, int elements) {
        return new RequestHead(
                method.project(fields),
                method.databaseId(fields),
                method.role(fields, elements),
                method.lane(fields),
                method.isShortRead(fields, elements));
    }

    /** Null if only the parser can interpret the bytes. */
    static @Nullable RequestHead scan(DatastoreMethod method, byte[] body) {
        Scan scan = new Scan(method, body);
        if (!scan.message()) {
            return null;
        }
        try {
            return of(method, method.parser().parseFrom(scan.kept.toByteArray()), scan.elements);
        } catch (InvalidProtocolBufferException malformed) {
            return null;
        }
    }

    /** INVALID_ARGUMENT if the request names no valid database. */
    String database() {
        return EntityDatabases.name(project, databaseId);
    }

    /** PERMISSION_DENIED unless the caller may send this request. */
    void authorize(AccessAttempt attempt) {
        attempt.require(role, project, databaseId);
    }

    /**
     * Verifies that the parsed message matches this head, by which the request was authorized and
     * routed.
     */
    void requireSame(RequestHead ofMessage) {
        if (!equals(ofMessage)) {
            throw PetrichorException.invalid(
                    "the request's fields are encoded in a way that this server does not support;"
                            + " encode each field once");
        }
    }

    /** Iterates over the fields of an encoded message. */
    private static final class Scan {
        private final DatastoreMethod method;
        private final byte[] body;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private int at;
        private int elements;

        Scan(DatastoreMethod method, byte[] body) {
            this.method = method;
            this.body = body;
        }

        /** False if the bytes are not a message, or an unusual one. */
        boolean message() {
            while (at < body.length) {
                int begin = at;
                long tag = varint();
                int number = (int) (tag >>> WIRE_TYPE_BITS);
                if (tag < 0 || number == 0) {
                    return false;
                }
                int wireType = (int) (tag & WIRE_TYPE_MASK);
                if (!skip(wireType)) {
                    return false;
                }
                if (wireType == DELIMITED) {
                    if (method.isInHead(number)) {
                        if (kept.size() + at - begin > KEPT_BYTES_MAX) {
                            return false;
                        }
                        kept.write(body, begin, at - begin);
                    } else if (method.isElement(number)) {
                        elements++;
                    }
                }
            }
            return true;
        }

        private boolean skip(int wireType) {
            long length =
                    switch (wireType) {
                        case VARINT -> varintBytes();
                        case FIXED_64 -> Long.BYTES;
                        case FIXED_32 -> Integer.BYTES;
                        case DELIMITED -> varint();
                        default -> -1; // groups, which the API does not use
                    };
            if (length < 0 || length > body.length - at) {
                return false;
            }
            at += (int) length;
            return true;
        }

        /** The length of the varint at the current position; -1 if it is incomplete. */
        private long varintBytes() {
            for (int i = at; i < body.length && i - at < VARINT_64_BYTES_MAX; i++) {
                if (body[i] >= 0) {
                    return i + 1L - at;
                }
            }
            return -1;
        }

        /** -1 if there is no valid varint. */
        private long varint() {
            long value = 0;
            for (int i = 0; i < VARINT_BYTES_MAX && at < body.length; i++) {
                byte next = body[at++];
                value |= (next & 0x7FL) << (7 * i);
                if (next >= 0) {
                    return value > UINT_32_MAX ? -1 : value;
                }
            }
            return -1;
        }
    }
}
