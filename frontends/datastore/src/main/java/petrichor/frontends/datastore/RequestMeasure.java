package petrichor.frontends.datastore;

import petrichor.base.PetrichorException;

/**
 * Estimates the memory of a parsed request from its encoded form.
 *
 * @param bytes encoded size
 * @param elements number of fields of a protobuf message; or of objects, arrays, names and values
 *     of JSON
 */
record RequestMeasure(long bytes, long elements) {
    /**
     * Maximum nesting of messages, or of containers in JSON; protobuf's parser has the same limit.
     */
    static final int DEPTH_MAX = 100;

    /**
     * Maximum number of elements in a list of the request itself: mutations, keys. Google limits a
     * commit by bytes alone; the system tests of its Python client delete 11,014 entities in one
     * commit.
     */
    static final int LIST_ELEMENTS_MAX = 25_000;

    /** An object and its reference in its parent: 56 bytes measured for the smallest mutation. */
    private static final int PROTO_ELEMENT_BYTES = 64;

    /** Measured: 10 million empty objects took 2.7 GB as JSON trees and builders. */
    private static final int JSON_ELEMENT_BYTES = 288;

    /** The message's own bytes and its texts. */
    private static final int PROTO_COPIES = 2;

    /** Text, JSON tree, decoded values and message. */
    private static final int JSON_COPIES = 4;

    /** Estimated bytes of heap while a protobuf request is parsed and executed. */
    long protoMemory() {
        return bytes * PROTO_COPIES + elements * PROTO_ELEMENT_BYTES;
    }

    /** Estimated bytes of heap while a JSON request is parsed and executed. */
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
