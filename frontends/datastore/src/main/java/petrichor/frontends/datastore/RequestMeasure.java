package petrichor.frontends.datastore;

import petrichor.base.PetrichorException;

/**
 * How much memory a request takes once it is parsed, estimated from its encoded form.
 *
 * @param bytes encoded
 * @param elements fields of a protobuf message; or objects, arrays, names and values of JSON
 */
record RequestMeasure(long bytes, long elements) {
    /**
     * Messages, and containers in JSON, inside each other; protobuf's parser has the same limit.
     */
    static final int DEPTH_MAX = 100;

    /**
     * Elements of one list of a request itself: mutations, keys. Google limits a commit by bytes
     * alone; the system tests of its Python client delete 11,014 entities in one commit.
     */
    static final int LIST_ELEMENTS_MAX = 25_000;

    /** An object and its place in its parent: 56 bytes for the smallest mutation, measured. */
    private static final int PROTO_ELEMENT_BYTES = 64;

    /** 10 million empty objects took 2.7 GB as a tree of JSON and a builder each. */
    private static final int JSON_ELEMENT_BYTES = 288;

    /** The message's own bytes and the texts in it. */
    private static final int PROTO_COPIES = 2;

    /** Text, its tree, decoded values and the message. */
    private static final int JSON_COPIES = 4;

    /** Bytes of heap while it is parsed and carried out, if it came as a protobuf message. */
    long protoMemory() {
        return bytes * PROTO_COPIES + elements * PROTO_ELEMENT_BYTES;
    }

    /** Bytes of heap while it is parsed and carried out, if it came as JSON. */
    long jsonMemory() {
        return bytes * JSON_COPIES + elements * JSON_ELEMENT_BYTES;
    }

    static PetrichorException tooManyInList() {
        return PetrichorException.invalid(
                "the request has a list of more than "
                        + LIST_ELEMENTS_MAX
                        + " elements; send fewer mutations or keys at once");
    }

    static PetrichorException tooDeep() {
        return PetrichorException.invalid(
                "the request is nested more than " + DEPTH_MAX + " levels deep");
    }
}
