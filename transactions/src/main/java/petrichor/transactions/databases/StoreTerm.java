package petrichor.transactions.databases;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A period in which a store belongs to one identity. Terms are numbered from 1; a server whose term
 * has a successor has lost the store for good.
 *
 * @param identity owner of the store
 * @param holder the server that started the term, for display
 */
record StoreTerm(long number, StoreIdentity identity, String holder) {
    private static final int FORMAT = 1;

    byte[] encoded(byte[] nonce) {
        return StoreIdentity.encoded(
                out -> {
                    out.writeByte(FORMAT);
                    out.write(nonce);
                    identity.write(out);
                    out.writeUTF(holder);
                });
    }

    static StoreTerm decode(long number, byte[] row) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(row))) {
            int format = in.readByte();
            if (format != FORMAT) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "The store was claimed by a newer version of Petrichor (format {format});"
                                + " use that version.",
                        "format",
                        format);
            }
            in.skipNBytes(StoreTerms.NONCE_BYTES);
            return new StoreTerm(number, StoreIdentity.read(in), in.readUTF());
        } catch (IOException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "The store's record of its servers is damaged. Restore the store from a"
                            + " backup.");
        }
    }
}
