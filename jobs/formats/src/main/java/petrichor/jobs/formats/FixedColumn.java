package petrichor.jobs.formats;

import java.io.Serializable;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;

/**
 * A field of a record of fixed length in a file. Numbers are little-endian, integers of 1 to 8
 * bytes; a shorter text is padded with zero bytes.
 */
public record FixedColumn(Field field, int bytes) implements Serializable {
    public FixedColumn {
        boolean fits =
                switch (field.type()) {
                    case BOOLEAN -> bytes == 1;
                    case INT32 -> bytes == 4;
                    case INT64, FLOAT64 -> bytes == 8;
                    case TEXT, BYTES -> bytes > 0;
                };
        if (!fits) {
            throw PetrichorException.invalid(
                    "{field} cannot have {bytes} bytes", "field", field, "bytes", bytes);
        }
    }
}
