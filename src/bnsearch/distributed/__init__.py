"""Work on several processes or machines through an executor: candidate selection and islands."""
