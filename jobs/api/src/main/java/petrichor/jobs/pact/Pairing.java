package petrichor.jobs.pact;

import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.CoGroupCode;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/** Two data sets paired by their keys, to which a function is applied next. */
public final class Pairing {
    private final DataSet first;
    private final DataSet second;
    private final Key firstKey;
    private final Key secondKey;

    Pairing(DataSet first, DataSet second, Key firstKey, Key secondKey) {
        firstKey.check(first.type());
        secondKey.check(second.type());
        if (firstKey.size() != secondKey.size()) {
            throw PetrichorException.invalid(
                    "a key of {firstKeyCount} fields of \"{first}\" cannot be compared with one of"
                            + " {secondKeyCount} fields of \"{second}\"",
                    "firstKeyCount",
                    firstKey.size(),
                    "first",
                    first.name(),
                    "secondKeyCount",
                    secondKey.size(),
                    "second",
                    second.name());
        }
        for (int part = 0; part < firstKey.size(); part++) {
            var a = first.type().fields().get(firstKey.fields()[part]);
            var b = second.type().fields().get(secondKey.fields()[part]);
            if (a.type() != b.type()) {
                throw PetrichorException.invalid(
                        "\"{firstField}\" of \"{first}\" cannot be compared with \"{secondField}\""
                                + " of \"{second}\": map one to the type of the other",
                        "firstField",
                        a,
                        "first",
                        first.name(),
                        "secondField",
                        b,
                        "second",
                        second.name());
            }
        }
        this.first = first;
        this.second = second;
        this.firstKey = firstKey;
        this.secondKey = secondKey;
    }

    /** Match: one call per pair. */
    public DataSet with(String name, RecordType type, JoinCode code) {
        return first.plan()
                .add(
                        name,
                        new Contract.Match(firstKey, secondKey, code),
                        List.of(first, second),
                        type,
                        Promises.NONE);
    }

    /** CoGroup: one call per key that occurs in either. */
    public DataSet groups(String name, RecordType type, CoGroupCode code) {
        return first.plan()
                .add(
                        name,
                        new Contract.CoGroup(firstKey, secondKey, code),
                        List.of(first, second),
                        type,
                        Promises.NONE);
    }
}
