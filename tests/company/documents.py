"""Documents of the example company that tests apply."""

HARBOUR = """\
# The company behind the booking service.
name: Harbour
mission: Berths and ferries, booked in one place.
policies:
  - Write decisions down.
timezone: Europe/Helsinki
knowledge:
  root_space: HOME
  skills_container: TS
skill_variables:
  docs_url: "https://docs.harbour.example"
  chat_url: "${CHAT_URL}"
integrations:
  dashboard_base_url: "https://crewlet.harbour.example/"
mcp_servers:
  - {name: github, shared: false, tools: [create_pull_request, get_issue]}
  - {name: chat, tools: [post_message]}
roles:
  - {name: Mara Quay, kind: human, permissions: [admin]}
units:
  - name: Engineering
    purpose: Builds the booking service.
    lead: Lead Bot
    space: ENG
    project: ENG
    mcp_env:
      github: {GITHUB_TOKEN: "${GITHUB_TOKEN}"}
    roles:
      - name: Lead Bot
      - name: Engineer Bot
        handle: engineer-bot
        email: engineer@harbour.example
        sandbox: {enabled: true}
      - name: Ada Marsh
        kind: human
        space: ADA
        permissions: [knowledge]
    children:
      - name: Ferries
        roles:
          - name: Timetable Bot
            permissions: [knowledge]
  - name: Product
    lead: product-bot
    space: PROD
    roles:
      - {name: Product Bot}
"""
