package petrichor.frontends.datastore;

import org.jspecify.annotations.Nullable;

/**
 * Counts the fields of an encoded protobuf message without building objects: two bytes can become
 * an object of fifty. Input that it does not understand is left to the parser, which refuses it.
 * Confined to one thread.
 */
final class ProtoScan {
    /**
     * Short messages are assumed to have a field per two bytes, which is cheaper than scanning
     * them.
     */
    private static final int UNSEEN_BYTES_MAX = 1 << 10;

    private static final int WIRE_TYPE_BITS = 3;
    private static final int FIXED_64 = 1;
    private static final int DELIMITED = 2;
    private static final int FIXED_32 = 5;

    private final byte[] body;
    private int at;
    private long fields;

    private ProtoScan(byte[] body) {
        this.body = body;
    }

    /** INVALID_ARGUMENT for a list that is too long or nesting that is too deep. */
    static RequestMeasure measure(RequestShape shape, byte[] body) {
        if (body.length <= UNSEEN_BYTES_MAX) {
            return new RequestMeasure(body.length, body.length / 2);
        }
        ProtoScan scan = new ProtoScan(body);
        scan.message(shape, body.length, 0);
        return new RequestMeasure(body.length, scan.fields);
    }

    /** False if the bytes are not a message; then the rest cannot be read either. */
    private boolean message(@Nullable RequestShape shape, int end, int depth) {
        if (depth > RequestMeasure.DEPTH_MAX) {
            throw RequestMeasure.tooDeep();
        }
        int listed = 0;
        while (at < end) {
            long tag = varint(end);
            fields++;
            RequestShape.Field field =
                    shape == null ? null : shape.field((int) (tag >>> WIRE_TYPE_BITS));
            switch ((int) (tag & ((1 << WIRE_TYPE_BITS) - 1))) {
                case 0 -> {
                    if (varint(end) < 0 && at > end) {
                        return false;
                    }
                }
                case FIXED_64 -> at += Long.BYTES;
                case FIXED_32 -> at += Integer.BYTES;
                case DELIMITED -> {
                    long length = varint(end);
                    if (length < 0 || length > end - at) {
                        return false;
                    }
                    int behind = at + (int) length;
                    if (depth == 0 && field != null && field.repeated()) {
                        listed++;
                    }
                    if (field == null) {
                        at = behind;
                    } else {
                        inside(field, behind, depth);
                    }
                }
                default -> {
                    return groupsAreRefusedByTheParser(end);
                }
            }
            if (listed > RequestMeasure.LIST_ELEMENTS_MAX) {
                throw RequestMeasure.tooManyInList();
            }
        }
        return at == end;
    }

    private void inside(RequestShape.Field field, int end, int depth) {
        switch (field.kind()) {
            case MESSAGE, MAP -> message(field.message(), end, depth + 1);
            case SCALAR -> fields += end - at; // packed: a number may take one byte
            case TEXT -> {}
        }
        at = end;
    }

    /** No type of the API has groups; each byte of the rest could be one of their fields. */
    private boolean groupsAreRefusedByTheParser(int end) {
        fields += end - at;
        at = end;
        return false;
    }

    /** -1 if there is no valid varint. */
    private long varint(int end) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE && at < end; shift += 7) {
            byte next = body[at++];
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        at = end + 1;
        return -1;
    }
}
