package petrichor.sql.h2;

import java.util.List;
import org.h2.result.Row;
import org.h2.table.Column;
import org.h2.value.Value;
import org.h2.value.ValueArray;
import org.h2.value.ValueNull;
import org.h2.value.ValueVarbinary;
import org.h2.value.ValueVarchar;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ArrayLiteral;
import petrichor.sql.ByteText;

/** Texts that are assigned to columns of other types, as PostgreSQL reads them. */
final class AssignedTexts {
    private AssignedTexts() {}

    /** H2 would make an array of one element of a text, and bytes of its characters. */
    static void read(Column[] columns, Row row) {
        for (Column column : columns) {
            int index = column.getColumnId();
            Value value = row.getValue(index);
            if (value == null || value.getValueType() != Value.VARCHAR) {
                continue;
            }
            int type = column.getType().getValueType();
            if (type == Value.ARRAY) {
                row.setValue(index, array(value.getString()));
            } else if (type == Value.VARBINARY || type == Value.BINARY) {
                row.setValue(index, ValueVarbinary.get(ByteText.parse(value.getString())));
            }
        }
    }

    private static Value array(String text) {
        List<@Nullable String> elements = ArrayLiteral.elementsOf(text);
        Value[] values = new Value[elements.size()];
        for (int i = 0; i < values.length; i++) {
            String element = elements.get(i);
            values[i] = element == null ? ValueNull.INSTANCE : ValueVarchar.get(element);
        }
        return ValueArray.get(values, null);
    }
}
