package petrichor.jobs.python;

import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;

/** Renames fields of a data set, without calling Python. Stateless. */
final class Renaming {
    private Renaming() {}

    static DataSet of(DataSet from, int[] positions, List<String> names, DocumentPart node) {
        var fields = new ArrayList<Field>();
        for (int to = 0; to < positions.length; to++) {
            var field = from.type().fields().get(positions[to]);
            fields.add(new Field(names.get(to), field.type()));
        }
        MapCode code =
                (in, out) -> {
                    var record = out.record();
                    for (int to = 0; to < positions.length; to++) {
                        record.copy(to, in, positions[to]);
                    }
                    record.emit();
                };
        var set = from.map(node.text("name"), RecordType.of(fields), code).emitsAtMostOne();
        for (int to = 0; to < positions.length; to++) {
            set.moved(Side.FIRST, positions[to], to);
        }
        return set;
    }
}
