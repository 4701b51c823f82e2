"""Collects invoice lines from the text files of a folder, after a date, with totals per customer."""

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta

LINE = re.compile(r"^Invoice (?P<date>\d{4}-\d{2}-\d{2}) (?P<customer>\w+) (?P<amount>\d+(?:\.\d+)?) EUR$")
TERMS = timedelta(days=30)


@dataclass
class Invoice:
    customer: str
    day: date
    cents: int

    def due(self) -> date:
        return self.day + TERMS

    def entry(self) -> dict:
        return {
            "customer": self.customer,
            "date": self.day.isoformat(),
            "cents": self.cents,
            "due": self.due().isoformat(),
            "weekday": self.day.strftime("%a"),
        }


def parse(line: str):
    found = LINE.match(line.strip())
    if found is None:
        return None
    try:
        day = datetime.strptime(found.group("date"), "%Y-%m-%d").date()
    except ValueError:
        raise ValueError(found.group("date")) from None
    return Invoice(found["customer"], day, round(float(found["amount"]) * 100))


def run(args: dict, ctx) -> dict:
    after = date.fromisoformat(args["after"])
    files = [e for e in ctx.list_dir(args["folder"]) if e["name"].endswith(".txt")]
    invoices, failed, totals = [], [], defaultdict(int)
    for done, entry in enumerate(files, start=1):
        for line in ctx.read_text(entry).splitlines():
            try:
                invoice = parse(line)
            except ValueError as problem:
                failed.append(f"{entry['path']}: {problem}")
                continue
            if invoice is not None and invoice.day > after:
                invoices.append(invoice)
                totals[invoice.customer] += invoice.cents
        ctx.progress(done, total=len(files))
    invoices.sort(key=lambda invoice: invoice.day)
    print(len(files), "files")
    entries = [invoice.entry() for invoice in invoices]
    return {"entries": entries, "totals": {k: totals[k] for k in sorted(totals)}, "failed": failed, "ok_count": len(entries)}
