package petrichor.jobs.formats;

import java.io.Serializable;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;

/**
 * A column of separated text that is read into a field.
 *
 * @param index of the column in the line, from 0
 */
public record CsvColumn(int index, Field field) implements Serializable {
    public CsvColumn {
        if (index < 0) {
            throw PetrichorException.invalid(
                    "columns are numbered from 0, not from {index}", "index", index);
        }
    }
}
