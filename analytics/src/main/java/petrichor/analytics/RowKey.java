package petrichor.analytics;

import java.util.Arrays;

/** A row's key, compared by its bytes. The array must not be changed. */
record RowKey(byte[] key) {
    @Override
    public boolean equals(Object other) {
        return other instanceof RowKey row && Arrays.equals(key, row.key);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(key);
    }
}
