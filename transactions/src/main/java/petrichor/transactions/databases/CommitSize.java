package petrichor.transactions.databases;

import petrichor.base.PetrichorException;
import petrichor.transactions.RowWrite;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.commit.CommitIntent;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.rows.TableLayout;

/** The largest commits and rows that the limits and the stores accept. Immutable. */
record CommitSize(long commitBytesMax, int keyBytesMax, int valueBytesMax) {
    static CommitSize of(TransactionLimits limits, RoutedStores stores) {
        return new CommitSize(
                limits.commitBytesMax(), stores.keyBytesMax(), stores.valueBytesMax());
    }

    void require(CommitIntent intent) {
        long bytes = intent.bytes();
        if (bytes > commitBytesMax) {
            throw PetrichorException.invalid(
                    "The commit is too large: {bytes} bytes with its index entries and history, at"
                            + " most {commitBytesMax} are allowed. Split it.",
                    "bytes",
                    bytes,
                    "commitBytesMax",
                    commitBytesMax);
        }
        // One row that the store refuses would fail the whole batch.
        for (RowWrite write : intent.writes()) {
            byte[] value = write.value();
            if (TableLayout.storedKeyBytesMax(write.key()) > keyBytesMax
                    || (value != null && TableLayout.storedValueBytes(value) > valueBytesMax)) {
                throw PetrichorException.invalid(
                        "A row is too large for the store: its key has {keyBytes} bytes, its value"
                                + " {valueBytes}.",
                        "keyBytes",
                        write.key().length,
                        "valueBytes",
                        value == null ? 0 : value.length);
            }
        }
    }
}
