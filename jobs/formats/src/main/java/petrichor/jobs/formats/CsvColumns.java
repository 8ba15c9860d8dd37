package petrichor.jobs.formats;

import java.io.Serializable;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;

/** The columns of separated text that are read into fields. */
public sealed interface CsvColumns extends Serializable {

    List<Field> fields();

    /** Columns found by the header of each file, in any order. */
    record Named(List<Field> fields) implements CsvColumns {
        public Named {
            fields = List.copyOf(fields);
            if (fields.isEmpty()) {
                throw PetrichorException.invalid("name at least one column");
            }
        }
    }

    /** Columns at fixed positions in every file; a header is skipped. */
    record Positioned(List<CsvColumn> columns) implements CsvColumns {
        public Positioned {
            columns = List.copyOf(columns);
            if (columns.isEmpty()) {
                throw PetrichorException.invalid("name at least one column");
            }
            for (int i = 1; i < columns.size(); i++) {
                if (columns.get(i).index() <= columns.get(i - 1).index()) {
                    throw PetrichorException.invalid(
                            "the positions of columns must be in ascending order");
                }
            }
        }

        @Override
        public List<Field> fields() {
            return columns.stream().map(CsvColumn::field).toList();
        }
    }
}
