package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.List;
import org.h2.command.Command;
import org.h2.expression.ParameterInterface;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.tables.ColumnType;

/** Parameters of a statement of H2. */
final class Parameters {
    private static final int PARAMETERS_MAX = 65_535;

    private Parameters() {}

    static List<ColumnType> types(Command command) {
        List<ColumnType> parameters = new ArrayList<>();
        for (ParameterInterface parameter : command.getParameters()) {
            parameters.add(Values.type(parameter.getType()));
        }
        return parameters;
    }

    static void bind(Command command, List<@Nullable Object> values) {
        List<? extends ParameterInterface> parameters = command.getParameters();
        if (parameters.size() > PARAMETERS_MAX) {
            throw new SqlException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "A statement has at most " + PARAMETERS_MAX + " parameters.");
        }
        if (values.size() < parameters.size()) {
            throw new SqlException(
                    SqlState.UNDEFINED_PARAMETER,
                    "The statement has "
                            + parameters.size()
                            + " parameters, and "
                            + values.size()
                            + " values were given.");
        }
        for (int i = 0; i < parameters.size(); i++) {
            parameters.get(i).setValue(Values.toH2(values.get(i)), true);
        }
    }
}
